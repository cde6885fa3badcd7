import {isLeaf, parentOf} from '../machines/policies/plan/plan-graph.ts';
import type {Dialog} from '../machines/tui.machine.ts';
import type {Browse, Tab} from './model/browse.ts';
import * as browsing from './model/browse.ts';
import type {Command} from './model/commands.ts';
import {detailContent} from './model/detail.ts';
import {messageLines} from './model/error-lines.ts';
import {readyBelow} from './model/facts.ts';
import {helpLines} from './model/help-lines.ts';
import type {TaskState} from './model/task-state.ts';
import type {TuiPorts} from './ports.ts';
import type {TuiCore} from './tui.ts';
import type {Jobs} from './tui-jobs.ts';
import {createListCommands} from './tui-lists.ts';
import {goNewer, goOlder} from './tui-past.ts';
import {createPlanCommands} from './tui-plan.ts';

/** What each command does. Whether it may, was asked before. */
export function createCommands(core: TuiCore, ports: TuiPorts, jobs: Jobs) {
  const open = (dialog: Dialog) => core.send({type: 'dialog.open', dialog});
  const browse = (change: (browse: Browse) => Browse) => core.patch({browse: change(core.get().browse)});
  const withTask = (act: (taskId: string) => void) => {
    const {task} = core.facts();
    if (task) act(task.id);
  };
  const move = (by: number) => {
    jobs.look(false);
    browse((now) => browsing.moveSelection(now, core.facts().entries, by));
  };
  const scroll = (by: number) => {
    const {list} = core.get();
    if (core.facts().screen === 'help') {
      const helpEnd = Math.max(0, helpLines().length - core.facts().layout.paneRows - 2);
      const index = Math.max(0, Math.min(helpEnd, list.index + by));
      core.patch({list: {...list, index}});
      return;
    }
    const {length} = detailContent(core.get(), core.facts(), jobs);
    const height = core.facts().layout.paneRows;
    browse((now) => browsing.scrollDetail(now, by, {length, height}));
  };
  const page = () => Math.max(1, core.facts().layout.paneRows - 1);
  const showTab = (tab: Tab) => () => browse((now) => browsing.showTab(now, tab));
  const failed = (error: unknown) => open({type: 'message', ...messageLines(error)});

  const resume = (taskId: string) => {
    const {state, run} = core.facts();
    if (state === 'asks' && (run?.questions?.length ?? 0) > 0) open({type: 'questions', taskId});
    else if (state === 'decision') open({type: 'checkpoint', taskId});
    else if (state === 'feedback') open({type: 'feedback', taskId});
    else void jobs.start({type: 'resume', taskId, answers: [], feedback: null});
  };

  const toggle = (isFolded?: boolean) => {
    const {task} = core.facts();
    if (task && !isLeaf(task)) browse((now) => browsing.toggleFold(now, task.id, isFolded));
  };
  const fold = () =>
    withTask((id) => {
      const {task, plan} = core.facts();
      const isOpen = task && !isLeaf(task) && !core.get().browse.folded.has(id);
      const parent = task && plan ? parentOf(plan, task) : undefined;
      if (isOpen) toggle(true);
      else if (parent) browse((now) => browsing.select(now, parent.id));
    });

  const nextForPerson = () => {
    const {summary, entries} = core.facts();
    const {selectedId} = core.get().browse;
    const waiting = summary?.attention ?? [];
    const at = waiting.indexOf(selectedId ?? '');
    const id = waiting[(at + 1) % Math.max(1, waiting.length)];
    if (id === undefined) return;
    const isSeen = entries.some((entry) => entry.id === id);
    const wide = {folded: new Set<string>(), filter: 'all', query: ''} as const;
    browse((now) => browsing.select(isSeen ? now : {...now, ...wide}, id));
  };

  const handlers: Record<Command, () => void> = {
    'job.execute': () => void jobs.start({type: 'execute', taskIds: []}),
    'job.executeTask': () => {
      const {plan, task} = core.facts();
      if (plan && task) void jobs.start({type: 'execute', taskIds: readyBelow(plan, task)});
    },
    'job.resume': () => withTask(resume),
    'job.restart': () => withTask((taskId) => open({type: 'restart', taskId})),
    'job.retry': () =>
      withTask((id) => {
        ports.retry(id).then(() => core.say({tone: 'good', text: `${id} is ready again`}), failed);
      }),
    'job.stopAfter': () => {
      ports.engine.stopAfterTask();
      const {job} = core.get();
      if (job) core.patch({job: {...job, isStopping: true}});
    },
    'job.pause': () => core.send({type: 'tui.interrupt'}),
    'job.force': () => core.send({type: 'tui.interrupt'}),
    'go.leave': () => core.send({type: 'tui.interrupt'}),
    'go.quit': () => {
      if (core.facts().isBusy) open({type: 'quit'});
      else core.send({type: 'tui.leave', reason: 'user_interrupt'});
    },
    'go.suspend': () => core.patch({handover: {type: 'shell'}}),
    'go.home': () => core.send({type: 'screen.home'}),
    'go.plan': () => core.send({type: 'screen.plan'}),
    'go.help': () => {
      core.patch({list: {...core.get().list, index: 0}});
      core.send({type: 'help.show'});
    },
    'go.back': () => {
      if (core.facts().screen === 'help') core.send({type: 'help.leave'});
      else core.send({type: core.facts().plan ? 'screen.plan' : 'screen.home'});
    },
    'tree.up': () => move(-1),
    'tree.down': () => move(1),
    'tree.pageUp': () => move(-Math.ceil(page() / 2)),
    'tree.pageDown': () => move(Math.ceil(page() / 2)),
    'tree.first': () => move(Number.NEGATIVE_INFINITY),
    'tree.last': () => move(Number.POSITIVE_INFINITY),
    'tree.fold': fold,
    'tree.unfold': () => toggle(false),
    'tree.toggle': () => toggle(),
    'tree.foldAll': () => {
      const {plan} = core.facts();
      const parents = plan ? [...plan.items.values()].filter((task) => !isLeaf(task)).map(({id}) => id) : [];
      browse((now) => browsing.foldAll(now, parents));
    },
    'tree.filter': () => browse(browsing.nextFilter),
    'tree.search': () => core.send({type: 'search.begin'}),
    'tree.clear': () => browse((now) => ({...now, filter: 'all', query: ''})),
    'tree.next': nextForPerson,
    'detail.up': () => scroll(-1),
    'detail.down': () => scroll(1),
    'detail.pageUp': () => scroll(-page()),
    'detail.pageDown': () => scroll(page()),
    'detail.first': () => scroll(Number.NEGATIVE_INFINITY),
    'detail.last': () => scroll(Number.POSITIVE_INFINITY),
    'detail.raw': () => browse((now) => ({...now, isRaw: !now.isRaw, detailTop: null})),
    'run.older': () => void goOlder(core, ports).catch(failed),
    'run.newer': () => goNewer(core),
    'tab.next': () => browse((now) => browsing.turnTab(now, 1)),
    'tab.previous': () => browse((now) => browsing.turnTab(now, -1)),
    'tab.details': showTab('details'),
    'tab.run': showTab('run'),
    'tab.diff': showTab('diff'),
    'tab.history': showTab('history'),
    'pane.switch': () => browse(browsing.switchPane),
    'pane.detail': () => browse((now) => ({...now, pane: 'detail'})),
    'pane.tree': () => browse((now) => ({...now, pane: 'tree'})),
    ...createPlanCommands(core, ports, {open, failed, withTask}),
    ...createListCommands(core, ports, {open, failed}),
  };

  return {
    run: (command: Command) => {
      if (core.get().notice) core.patch({notice: null});
      handlers[command]();
    },
    /** A decision that waits opens by itself, once. */
    askPerson: (kinds: readonly TaskState[]) => {
      const {ui, data} = core.get();
      const {summary, plan, stateOf} = core.facts();
      if (ui.context.dialog || !plan || !data || !summary) return;
      for (const id of summary.attention) {
        const task = plan.items.get(id);
        const run = data.runs.get(id);
        const state = task && stateOf(task);
        if (!state || !run || !kinds.includes(state)) continue;
        const key = `${run.run_id} ${state}`;
        if (core.asked.has(key)) continue;
        core.asked.add(key);
        ports.notify(`${id} needs you`);
        browse((now) => browsing.select(now, id));
        if (core.facts().screen !== 'plan') core.send({type: 'screen.plan'});
        if (state === 'asks') core.dialogs.ask({type: 'questions', taskId: id});
        else if (state === 'decision') core.dialogs.ask({type: 'checkpoint', taskId: id});
        else core.dialogs.ask({type: 'feedback', taskId: id});
        return;
      }
    },
  };
}
