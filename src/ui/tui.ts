import {createDrafts, type Drafts} from '../machines/drafts.ts';
import {standings} from '../machines/policies/job/standings.ts';
import {displayLine} from '../machines/policies/text/display-text.ts';
import {createTuiFlow} from '../machines/tui-flow.ts';
import {createOvertaken} from './answered-elsewhere-prompt.ts';
import {createClock} from './clock.ts';
import type {CommandContext} from './commands/command.ts';
import {keymapFor} from './commands/command-table.ts';
import {searchDiff} from './commands/diff.ts';
import {searchedText, typeSearch} from './commands/find.ts';
import {isMouse, takeMouse} from './commands/mouse.ts';
import {createDialogQueue} from './dialog-queue.ts';
import {createFileIndex, type FileIndex} from './editor/file-index.ts';
import type {KeyPress} from './input/key-press.ts';
import {bindingOf, refusalOf} from './keymap.ts';
import {keepInView, reveal, startBrowse, switchPane} from './model/browse.ts';
import {diffReview} from './model/diff-tab.ts';
import {messageLines} from './model/error-lines.ts';
import {createFacts, type Facts, type TuiState} from './model/facts.ts';
import {helpColumns, helpLines} from './model/help-lines.ts';
import {initialSelection} from './model/initial-selection.ts';
import {openPrompts} from './open-prompts.ts';
import type {TuiPorts} from './ports.ts';
import {createStore, type Store} from './store.ts';
import {type Answers, createAnswers} from './tui-answers.ts';
import type {Jobs, TuiCore} from './tui-core.ts';
import {createDetails} from './tui-details.ts';
import {createJobs} from './tui-jobs.ts';
import {createPreview} from './tui-preview.ts';

export type Tui = Omit<TuiCore, 'onJobEnd' | 'asked' | 'dialogs'> & {
  readonly ports: TuiPorts;
  readonly state: Store<TuiState>;
  readonly jobs: Jobs;
  readonly answers: Answers;
  /** What `@` offers. */
  readonly files: FileIndex;
  /** Unfinished texts, kept on disk. */
  readonly drafts: Drafts;
  /** Counts seconds while something runs. */
  readonly clock: Store<number>;
  press(key: KeyPress): void;
  /** Called by the panel: whether text is being typed into it. */
  setWriting(isWriting: boolean): void;
  resize(size: TuiState['size']): void;
  /** Starts watching the project and the engine; returns a function to stop. */
  open(): () => void;
};

/** The TUI without a terminal: state, keys and jobs. The screens only draw it. */
export function createTui(ports: TuiPorts): Tui {
  const flow = createTuiFlow({
    pause: (reason) => ports.engine.pause(reason, 'key'),
    beginJob: () => jobs.takeTurn(true),
    dropJob: () => jobs.takeTurn(false),
  });
  const factsOf = createFacts();
  const drafts = createDrafts({drafts: ports.drafts, now: () => new Date(ports.now()).toISOString()});
  const state = createStore<TuiState>({
    ui: flow.snapshot(),
    data: null,
    browse: startBrowse,
    job: null,
    notice: null,
    edits: {done: [], undone: []},
    decisions: new Map(),
    planning: null,
    planDrafts: [],
    diffs: new Map(),
    editorRefused: ports.programs.editorRefused,
    detail: null,
    past: null,
    helpTop: 0,
    list: {index: 0, query: '', from: 'home', sessions: null, preview: null},
    handover: null,
    size: {columns: 80, rows: 24},
  });
  let lastKeyAt = Number.NEGATIVE_INFINITY;
  const dialogs = createDialogQueue(flow.send, flow.snapshot, () => performance.now() - lastKeyAt);
  let isWriting = false;
  flow.subscribe((ui) => {
    const before = core.facts().panel;
    core.patch({ui});
    const {panel, plan, entries} = core.facts();
    if (before !== panel) overtaken.remember();
    if ((before === null) !== (panel === null)) {
      const {browse} = core.get();
      // A new panel gets the focus; the plan gets it back when the panel is gone.
      core.patch({
        browse:
          panel && plan
            ? {...reveal(browse, plan, entries, panel.taskId), pane: 'detail'}
            : {...browse, pane: panel ? 'detail' : 'tree'},
      });
    }
    dialogs.next();
  });

  const core: TuiCore = {
    asked: new Set(),
    dialogs,
    get: state.get,
    facts: () => factsOf(state.get()),
    patch: (part) => {
      state.set(inView({...state.get(), ...part}, factsOf));
      details.follow();
      preview.follow();
      clock.follow();
    },
    send: flow.send,
    say: (notice) => core.patch({notice}),
    settle: async (written) => {
      core.send({type: 'words.began'});
      try {
        return await written;
      } finally {
        core.send({type: 'words.settled'});
      }
    },
    onJobEnd: ({standing, headline, taskId, plan, rejected}, told) => {
      const offer = rejected ? ` · U undoes ${displayLine(rejected)}` : '';
      // For a paused task or planner, the banner already says it.
      if (standing !== 'paused' || (taskId === undefined && !plan))
        core.say({
          tone: standings[standing].tone,
          text: [
            ...told.filter(({isFirst}) => isFirst),
            {text: `${headline}${offer}`},
            ...told.filter(({isFirst}) => !isFirst),
          ]
            .map(({text}) => text)
            .join(' · '),
        });
      openPrompts(core, ports);
    },
  };
  const overtaken = createOvertaken(core);
  const clock = createClock(() => isTicking(core));
  const details = createDetails(core, ports, clock.seconds);
  const preview = createPreview(core, ports);
  const jobs = createJobs(core, ports);
  const context: CommandContext = {
    core,
    ports,
    jobs,
    open: (dialog) => core.send({type: 'dialog.open', dialog}),
    fail: (error) => context.open({type: 'message', ...messageLines(error)}),
    browse: (change) => core.patch({browse: change(core.get().browse)}),
    helpLength: () => helpLines(helpColumns(core.facts().layout)).length,
  };

  const press = (key: KeyPress) => {
    lastKeyAt = performance.now();
    if (isMouse(key)) {
      takeMouse(context, key);
      return;
    }
    const [now, facts] = [state.get(), core.facts()];
    if (facts.panel) {
      if (now.browse.pane === 'detail') {
        if (key.name === 'shift+tab' || (key.name === 'tab' && !isWriting)) context.browse(switchPane);
        return;
      }
    } else if (now.ui.context.dialog) {
      if (key.name === 'ctrl+c') core.send({type: 'tui.interrupt'});
      return;
    }
    const shown = now.browse.pane === 'detail' ? diffReview(now, facts) : null;
    if (shown?.view.isSearching) return searchDiff(context, key);
    const keymap = keymapFor(facts, now);
    const command = bindingOf(keymap, key.name, facts, now);
    if (command) {
      if (now.notice) core.patch({notice: null});
      command.run(context);
      return;
    }
    if (facts.isSearching) {
      const typed = key.text?.replace(/\s+/g, ' ');
      if (typed !== undefined) typeSearch(context, searchedText(context) + typed);
      return;
    }
    const reason = refusalOf(keymap, key.name, facts, now);
    if (reason !== null) core.say({tone: 'warning', text: `${key.name}: ${reason}`});
  };

  return {
    ...core,
    ports,
    state,
    jobs,
    answers: createAnswers(core, ports, jobs),
    files: createFileIndex(ports.listFiles),
    drafts,
    clock: clock.seconds,
    press,
    setWriting: (isOn) => {
      isWriting = isOn;
    },
    resize: (size) => core.patch({size}),
    open: () => {
      const stops = [
        jobs.listen(),
        ports.watch((data) => {
          const isFirst = state.get().data === null;
          core.patch({data});
          if (isFirst) core.patch({browse: initialSelection(core.facts(), state.get().browse)});
          overtaken.look();
          // What a job of this screen left may appear on disk only after its end.
          openPrompts(core, ports);
        }),
        clock.stop,
        details.stop,
        preview.stop,
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  };
}

function inView(state: TuiState, factsOf: (state: TuiState) => Facts): TuiState {
  const {entries, layout, plan} = factsOf(state);
  if (!plan) return state;
  const browse = keepInView(state.browse, entries, layout.paneRows, plan);
  return browse === state.browse ? state : {...state, browse};
}

function isTicking(core: TuiCore): boolean {
  const {job} = core.get();
  return job !== null || (core.facts().summary?.counts.get('running') ?? 0) > 0;
}
