import {notNow} from '../keymap.ts';
import * as browsing from '../model/browse.ts';
import {detailContent} from '../model/detail.ts';
import {helpRows} from '../model/layout.ts';
import {type Command, type CommandContext, looking, planPanes, type Refusal} from './command.ts';
import {scrollDiff} from './diff.ts';

const section = 'Look at a task';
/** The help scrolls with the keys of the detail pane. */
const scrolling = ['detail', 'help'] as const;

/** The tree shares the screen with what is asked: of that task, no tabs are shown that could change. */
const whenSeen: Refusal = ({panel, task, layout}) =>
  panel !== null && (!layout.hasTwoPanes || task?.id === panel.taskId) ? notNow : null;

/** The pane of the selected task: tabs, runs, scrolling. */
export const detailCommands: readonly Command[] = [
  {
    id: 'tab.details',
    keys: ['1'],
    label: 'details',
    at: looking,
    section,
    refusal: whenSeen,
    run: showTab('details'),
  },
  {id: 'tab.run', keys: ['2'], label: 'run', at: looking, section, refusal: whenSeen, run: showTab('run')},
  {id: 'tab.diff', keys: ['3'], label: 'diff', at: looking, section, refusal: whenSeen, run: showTab('diff')},
  {
    id: 'tab.history',
    keys: ['4'],
    label: 'history',
    at: looking,
    section,
    refusal: whenSeen,
    run: showTab('history'),
  },
  {
    id: 'diff.read',
    keys: ['d'],
    label: 'read the diff',
    at: planPanes,
    section,
    run: ({browse}) => browse((now) => ({...browsing.showTab(now, 'diff'), pane: 'detail'})),
  },
  {id: 'tab.next', keys: [']'], label: 'next tab', at: looking, section, refusal: whenSeen, run: turnTab(1)},
  {
    id: 'tab.previous',
    keys: ['['],
    label: 'previous tab',
    at: looking,
    section,
    refusal: whenSeen,
    run: turnTab(-1),
  },
  {
    id: 'detail.raw',
    keys: ['o'],
    label: 'raw output',
    hint: 'more',
    at: looking,
    section,
    refusal: (facts, state) => {
      if (state.browse.tab !== 'run') return 'raw output is in the tab Run';
      return facts.shownRun ? whenSeen(facts, state) : 'it has not run yet';
    },
    run: ({browse}) => browse((now) => ({...now, isRaw: !now.isRaw, detailTop: null})),
  },
  {
    id: 'run.older',
    keys: ['<'],
    label: 'older run',
    at: looking,
    section,
    refusal: (facts, state) => {
      const {tab} = state.browse;
      if (tab !== 'run' && tab !== 'diff') return 'earlier runs are in the tabs Run and Diff';
      return facts.shownRun ? whenSeen(facts, state) : 'it has not run yet';
    },
    run: (context) => void showOlderRun(context).catch(context.fail),
  },
  {
    id: 'run.newer',
    keys: ['>'],
    label: 'newer run',
    at: looking,
    section,
    refusal: (facts, state) =>
      state.past && state.past.taskId === facts.task?.id ? whenSeen(facts, state) : 'this is the latest run',
    run: showNewerRun,
  },
  {
    id: 'detail.pageDown',
    keys: ['pagedown', 'ctrl+f'],
    label: 'scroll the right pane',
    at: [...looking, 'help'],
    section,
    refusal: whenSeen,
    run: (context) => scroll(context, page(context)),
  },
  {
    id: 'detail.pageUp',
    keys: ['pageup', 'ctrl+b'],
    label: 'scroll it back',
    at: [...looking, 'help'],
    section,
    refusal: whenSeen,
    run: (context) => scroll(context, -page(context)),
  },
  {id: 'detail.up', keys: ['up', 'k'], label: 'up', at: scrolling, run: (context) => scroll(context, -1)},
  {
    id: 'detail.down',
    keys: ['down', 'j'],
    label: 'down',
    at: scrolling,
    run: (context) => scroll(context, 1),
  },
  {
    id: 'detail.backward',
    keys: ['ctrl+u'],
    label: 'page up',
    at: scrolling,
    run: (context) => scroll(context, -page(context)),
  },
  {
    id: 'detail.forward',
    keys: ['ctrl+d', 'space'],
    label: 'page down',
    at: ['detail'],
    run: (context) => scroll(context, page(context)),
  },
  {
    id: 'detail.first',
    keys: ['home', 'g'],
    label: 'start',
    at: scrolling,
    run: (context) => scroll(context, Number.NEGATIVE_INFINITY),
  },
  {
    id: 'detail.last',
    keys: ['end', 'G'],
    label: 'end, and follow',
    at: scrolling,
    run: (context) => scroll(context, Number.POSITIVE_INFINITY),
  },
  {id: 'tab.left', keys: ['left', 'h'], label: 'previous tab', at: ['detail'], run: turnTab(-1)},
  {id: 'tab.right', keys: ['right', 'l', 'enter'], label: 'next tab', at: ['detail'], run: turnTab(1)},
  {
    id: 'pane.tree',
    keys: ['escape'],
    label: 'back to the plan',
    at: ['detail'],
    run: ({browse}) => browse((now) => ({...now, pane: 'tree'})),
  },
];

function showTab(tab: browsing.Tab): Command['run'] {
  return ({browse}) => browse((now) => browsing.showTab(now, tab));
}

function turnTab(by: number): Command['run'] {
  return ({browse}) => browse((now) => browsing.turnTab(now, by));
}

const page = ({core}: CommandContext): number => Math.max(1, core.facts().layout.paneRows - 1);

export function scroll(context: CommandContext, by: number): void {
  const {core, jobs, browse, helpLength} = context;
  const {screen, layout} = core.facts();
  if (screen === 'help') {
    const end = Math.max(0, helpLength() - helpRows(layout));
    core.patch({helpTop: Math.max(0, Math.min(end, core.get().helpTop + by))});
    return;
  }
  if (core.get().browse.tab === 'diff') {
    scrollDiff(context, by);
    return;
  }
  const {length} = detailContent(core.get(), core.facts(), jobs);
  browse((now) => browsing.scrollDetail(now, by, {length, height: layout.paneRows}));
}

/** One run further back in the history of the selected task. */
async function showOlderRun({core, ports}: CommandContext): Promise<void> {
  const {task} = core.facts();
  const {past} = core.get();
  if (!task) return;
  const known = past?.taskId === task.id ? past : null;
  const runs = known?.runs ?? (await ports.history(task.id)).runs;
  const index = (known?.index ?? runs.length - 1) - 1;
  if (index < 0) core.say({tone: 'accent', text: 'there is no older run'});
  else core.patch({past: {taskId: task.id, runs, index}});
}

/** One run forward; at the latest one the tabs show the current run again. */
function showNewerRun({core}: CommandContext): void {
  const {past} = core.get();
  if (!past) return;
  const index = past.index + 1;
  core.patch({past: index >= past.runs.length - 1 ? null : {...past, index}});
}
