import {waitedFor} from '../../machines/policies/job/wait-lines.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {chosenBy} from '../../services/contracts/project.ts';
import {keymaps} from '../commands/command-table.ts';
import type {Line} from '../components/lines.tsx';
import {hintsOf} from '../keymap.ts';
import {wrapped} from '../text/wrap.ts';
import {type Facts, parentsDueNow, type TuiState} from './facts.ts';
import {missingAgent} from './missing-agent.ts';
import {keyHints, taskFactsOf} from './task-facts.ts';
import {stateBadges, type TaskState} from './task-state.ts';

/** With fewer rows, only the essentials are shown. */
const roomyRows = 18;

/** The state of the plan, what can be done, and with which key. */
export function homeLines(
  state: TuiState,
  facts: Facts,
  {folder, columns, rows}: {readonly folder: string; readonly columns: number; readonly rows: number},
): Line[] {
  const isRoomy = rows >= roomyRows;
  const tagline: Line = [
    {text: 'blackbird', bold: true, tone: 'accent'},
    {text: '  runs a plan of tasks with your coding agents', dim: true},
  ];
  return [
    ...(isRoomy ? [[], tagline, [{text: displayLine(folder), dim: true}], []] : []),
    ...planLines(state, facts, columns),
    ...(isRoomy ? [[]] : []),
    ...(state.data === null ? [] : [[{text: 'Next', bold: true, tone: 'accent'} as const]]),
    ...nextLines(state, facts)
      .flatMap((text) => wrapped(text, columns))
      .map((text): Line => [{text}]),
    ...agentLines(state, columns),
    [],
    [{text: 'Keys', bold: true, tone: 'accent'}],
    ...hintsOf(keymaps.home, facts, state).map(
      ({keys, label}): Line => [{text: keys.padEnd(8), bold: true}, {text: label}],
    ),
  ];
}

const order: readonly TaskState[] = [
  'running',
  'decision',
  'asks',
  'feedback',
  'paused',
  'lost',
  'orphaned',
  'failed',
  'ready',
  'stalled',
  'queued',
  'waits',
  'blocked',
  'done',
  'skipped',
];

const countWords: Partial<Record<TaskState, string>> = {
  decision: 'to decide',
  asks: 'asking you',
  feedback: 'sent back',
  waits: 'waiting for others',
  stalled: 'in progress without a run',
};

const widestBar = 24;

function planLines({data}: TuiState, {summary}: Facts, columns: number): Line[] {
  if (data === null) return [[{text: 'loading the plan…', dim: true}]];
  if (data.plan.type === 'none') return [[{text: '⊘ there is no plan here yet', tone: 'warning'}]];
  if (data.plan.type === 'problem') {
    return [
      [{text: '✗ the plan cannot be used', tone: 'bad', bold: true}],
      ...data.plan.lines.flatMap((line) => wrapped(line, columns)).map((text): Line => [{text}]),
    ];
  }
  if (!summary || summary.total === 0) return [[{text: '○ the plan is empty'}]];
  const barColumns = Math.max(4, Math.min(widestBar, columns - 30));
  const percent = Math.floor((summary.done / summary.total) * 100);
  const full = Math.floor((summary.done / summary.total) * barColumns);
  const counts = order.flatMap((state) => {
    const count = summary.counts.get(state) ?? 0;
    return count === 0 ? [] : [{state, count}];
  });
  return [
    [
      {text: '█'.repeat(full), tone: 'good'},
      {text: '░'.repeat(barColumns - full), dim: true},
      {text: `  ${percent}%  ${summary.done} of ${summary.total} tasks done`},
    ],
    ...counts.map(({state, count}): Line => {
      const [symbol, word, style] = stateBadges[state];
      return [{text: `${symbol} `, ...style}, {text: `${count} ${countWords[state] ?? word}`}];
    }),
  ];
}

function agentLines({data}: TuiState, columns: number): Line[] {
  if (!data) return [];
  // What comes next says it.
  if ('source' in data.provider && data.provider.source === 'none') return [];
  if (!('id' in data.provider)) {
    return wrapped(`agent: ${data.provider.problem}`, columns).map((text): Line => [{text, tone: 'bad'}]);
  }
  return [
    [],
    [
      {text: 'Agent  '},
      {text: data.provider.id, bold: true},
      data.isAgentInstalled
        ? {text: `  ${chosenBy[data.provider.source]}`, dim: true}
        : {text: '  not installed', tone: 'warning'},
    ],
  ];
}

function nextLines(state: TuiState, {summary, plan, stateOf, isBusy}: Facts): string[] {
  const {data} = state;
  if (!data) return [];
  const missing = missingAgent(state);
  const installFirst = missing === null ? null : `${missing[0]?.toUpperCase()}${missing.slice(1)}.`;
  const wish =
    state.planDrafts.length > 0
      ? 'P continues the plan you left as a draft, or begins another.'
      : 'P: say what you want, and your agent plans it.';
  const start = installFirst ?? wish;
  const {job, planning} = state;
  if (planning?.question) return ['Your agent asks about the plan: P opens it.'];
  if (isBusy && job?.steps.some(({type}) => type === 'plan'))
    return ['Your agent is planning: P shows it, ctrl+c pauses it.'];
  if (data.plan.type === 'none') return [`${start} c creates an empty plan.`];
  if (data.plan.type === 'problem')
    return ['Fix the file; this screen reloads it at once. blackbird validate lists every problem.'];
  if (!summary || summary.total === 0) return [`${start} enter opens the plan, a adds a task.`];
  const count = (name: TaskState) => summary.counts.get(name) ?? 0;
  const hint = (...names: readonly TaskState[]) => {
    const task = [...(plan?.items.values() ?? [])].find((each) => names.includes(stateOf(each)));
    const asked = plan && task ? taskFactsOf(state, plan, task) : null;
    return (asked && keyHints(asked)[0]) ?? 'see what it says';
  };
  if (isBusy && job?.runs.size === 0 && summary.attention.length > 0)
    return ['A task needs you: enter, then n and u.'];
  if (isBusy && job?.wait)
    return [`Nothing is running: ${waitedFor(job.wait)}. enter shows the task, ctrl+c pauses it.`];
  if (isBusy) return ['A task is running: enter shows it, ctrl+c pauses it.'];
  if (data.otherEngine !== null)
    return [`Process ${data.otherEngine} is working on the plan: enter shows it.`];
  if (summary.attention.length > 0) return ['A task needs you: enter, then n and u.'];
  if (count('orphaned') > 0)
    return [`The agent of a task is still working without its Blackbird: enter, then ${hint('orphaned')}.`];
  if (count('paused') + count('lost') > 0)
    return [`A task is paused: enter, then ${hint('paused', 'lost')}.`];
  if (count('ready') > 0)
    return [
      installFirst === null
        ? 'e runs the ready tasks, one after another.'
        : `${installFirst} Then e runs the tasks.`,
    ];
  const due = plan ? parentsDueNow(plan, data).map(({id}) => displayLine(id)) : [];
  if (due.length > 0) return [`The review of ${due.join(', ')} is due: e continues with it.`];
  if (count('failed') > 0) return [`A task failed: enter, then ${hint('failed')}.`];
  if (summary.done === summary.total) return ['Everything is done.'];
  return ['No task is ready: enter shows what they wait for.'];
}
