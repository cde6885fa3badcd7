import {executeAll, resumeStep} from '../../machines/policies/job/job-steps.ts';
import {proposalLines} from '../../machines/policies/job/undo-lines.ts';
import {type ContinueAction, continueAction} from '../../machines/policies/run/task-options.ts';
import {undoRefusal as refusalOfUndo, type UndoProposal} from '../../machines/policies/run/undo.ts';
import type {Dialog} from '../../machines/tui-dialogs.ts';
import {notNow} from '../keymap.ts';
import type {Facts, TuiState} from '../model/facts.ts';
import {readyBelow} from '../model/facts.ts';
import {taskFactsOf} from '../model/task-facts.ts';
import {anywhere, type Command, type CommandContext, planPanes, withTask} from './command.ts';
import {
  executeRefusal,
  executeTaskRefusal,
  restartRefusal,
  resumeRefusal,
  retryRefusal,
  undoRefusal,
  withdrawRefusal,
} from './task-refusals.ts';

/** Starting and stopping tasks. */
export const jobCommands: readonly Command[] = [
  {
    id: 'job.pause',
    keys: ['ctrl+c'],
    label: 'pause',
    hint: 'first',
    at: [...anywhere, 'aside'],
    section: 'Run',
    refusal: ({isBusy, isPausing}) => (isBusy && !isPausing ? null : notNow),
    run: ({core}) => core.send({type: 'tui.interrupt'}),
  },
  {
    id: 'job.force',
    keys: ['ctrl+c'],
    label: 'force',
    hint: 'first',
    at: [...anywhere, 'aside'],
    section: 'Run',
    refusal: ({isPausing}) => (isPausing ? null : notNow),
    run: ({core}) => core.send({type: 'tui.interrupt'}),
  },
  {
    id: 'job.retryNow',
    keys: ['r'],
    label: 'try now',
    hint: 'first',
    at: ['home', ...planPanes],
    section: 'Run',
    refusal: (_, {job}) => (job?.wait ? null : notNow),
    run: ({ports}) => ports.engine.retryNow(),
  },
  {
    id: 'job.stopAfter',
    keys: ['x'],
    label: 'stop after this task',
    called: (_, {job}) => (job?.wait ? 'stop now' : 'stop after this task'),
    hint: 'first',
    at: anywhere,
    section: 'Run',
    refusal: ({isBusy, isPausing}, {job, data, ui}) => {
      // The engine does not know the job yet, so the request would be lost.
      if (ui.hasTag('behindWords')) return 'it has not begun yet: ctrl+c drops it';
      if (!isBusy && data?.otherEngine != null)
        return `process ${data.otherEngine} is executing it: blackbird stop ends it after its task`;
      // A single-task job may also continue with the plan: after an approval, or with the review of its
      // parent.
      if (!isBusy || isPausing || !job?.steps.some(({type}) => type === 'execute' || type === 'task'))
        return 'no plan is being executed';
      return job.isStopping ? 'it already stops after this task' : null;
    },
    run: ({ports}) => ports.engine.stopAfterTask(),
  },
  {
    id: 'job.execute',
    keys: ['e'],
    label: 'execute',
    hint: 'first',
    at: ['home', ...planPanes],
    section: 'Run',
    refusal: executeRefusal,
    run: ({jobs}) => void jobs.start(executeAll),
  },
  {
    id: 'job.resume',
    keys: ['u'],
    label: 'resume',
    called: (facts, state) => continueActions[continueActionOf(facts, state) ?? 'resume'][0],
    help: 'resume, answer or decide',
    hint: 'first',
    at: planPanes,
    section: 'Run',
    refusal: resumeRefusal,
    run: withTask(resume),
  },
  {
    id: 'job.restart',
    keys: ['R'],
    label: 'restart',
    hint: 'first',
    at: planPanes,
    section: 'Run',
    refusal: restartRefusal,
    run: withTask(({open}, taskId) => open({type: 'restart', taskId})),
  },
  {
    id: 'job.retry',
    keys: ['t'],
    label: 'retry',
    hint: 'first',
    at: planPanes,
    section: 'Run',
    refusal: retryRefusal,
    run: withTask(({core, ports, fail}, id) => {
      ports.retry(id).then(() => core.say({tone: 'good', text: `${id} is ready again`}), fail);
    }),
  },
  {
    id: 'job.withdraw',
    keys: ['W'],
    label: 'withdraw approval',
    hint: 'more',
    at: planPanes,
    section: 'Run',
    refusal: withdrawRefusal,
    run: withTask(({core, ports, fail}, id) => {
      core
        .settle(ports.withdraw(id))
        .then(() => core.say({tone: 'accent', text: `${id} waits for your decision again`}), fail);
    }),
  },
  {
    id: 'job.undo',
    keys: ['U'],
    label: 'undo its changes',
    hint: 'more',
    at: planPanes,
    section: 'Run',
    refusal: undoRefusal,
    run: withTask(({core, ports, fail}, taskId) => {
      // Not over a dialog opened in the meantime: a key meant for that must not confirm it.
      ports.proposeUndo(taskId).then((proposal) => core.dialogs.ask(undoDialog(proposal)), fail);
    }),
  },
  {
    id: 'job.executeTask',
    keys: ['E'],
    label: 'execute task',
    hint: 'first',
    at: planPanes,
    section: 'Run',
    refusal: executeTaskRefusal,
    run: ({core, jobs}) => {
      const {plan, task} = core.facts();
      if (plan && task) void jobs.start({type: 'execute', taskIds: readyBelow(plan, task)});
    },
  },
];

/** Shows the files first; obstacles are confirmed together with them. */
function undoDialog(proposal: UndoProposal): Dialog {
  const refusal = refusalOfUndo(proposal);
  const {length} = proposal.files.files;
  const headline = refusal?.message ?? (length === 0 ? 'Its files are already as before.' : 'Its files:');
  const lines = [headline, ...proposalLines(proposal)];
  return {type: 'undo', taskId: proposal.task.id, lines, isForced: refusal !== null};
}

/** The name of the action, and what waits for the user. */
const continueActions = {
  review: ['decide', 'checkpoint'],
  sendBack: ['see the review', 'feedback'],
  answer: ['answer', 'questions'],
  resume: ['resume', null],
} as const satisfies Record<ContinueAction, readonly [label: string, dialog: Dialog['type'] | null]>;

function continueActionOf({plan, task}: Facts, state: TuiState): ContinueAction | null {
  const asked = plan && task ? taskFactsOf(state, plan, task) : null;
  return asked && continueAction(asked);
}

/** What waits for the user is shown first; otherwise the agent continues. */
function resume({core, jobs, open}: CommandContext, taskId: string): void {
  const action = continueActionOf(core.facts(), core.get());
  if (action === null) return;
  const [, dialog] = continueActions[action];
  if (dialog === null) void jobs.start(resumeStep(taskId));
  else open({type: dialog, taskId});
}
