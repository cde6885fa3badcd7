import {executeAll, resumeStep, reviewStep} from '../../machines/policies/job/job-steps.ts';
import {proposalLines} from '../../machines/policies/job/undo-lines.ts';
import {undoRefusal as refusalOfUndo, type UndoProposal} from '../../machines/policies/run/undo.ts';
import type {Dialog} from '../../machines/tui.machine.ts';
import {notNow} from '../keymap.ts';
import {readyBelow} from '../model/facts.ts';
import type {TaskState} from '../model/task-state.ts';
import {anywhere, besidePlan, type Command, type CommandContext, withTask} from './command.ts';
import {
  executeRefusal,
  executeTaskRefusal,
  restartRefusal,
  resumeRefusal,
  retryRefusal,
  undoRefusal,
  withdrawRefusal,
} from './task-refusals.ts';

/** What runs tasks, and stops them. */
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
    at: ['home', ...besidePlan],
    section: 'Run',
    refusal: (_, {job}) => (job?.wait ? null : notNow),
    run: ({ports}) => ports.engine.retryNow(),
  },
  {
    id: 'job.stopAfter',
    keys: ['x'],
    label: 'stop after this task',
    hint: 'first',
    at: anywhere,
    section: 'Run',
    refusal: ({isBusy, isPausing}, {job}) => {
      if (!isBusy || isPausing || !job?.steps.some(({type}) => type === 'execute'))
        return 'no plan is being executed';
      return job.isStopping ? 'it stops after this task already' : null;
    },
    run: ({core, ports}) => {
      ports.engine.stopAfterTask();
      const {job} = core.get();
      if (job) core.patch({job: {...job, isStopping: true}});
    },
  },
  {
    id: 'job.execute',
    keys: ['e'],
    label: 'execute',
    hint: 'first',
    at: ['home', ...besidePlan],
    section: 'Run',
    refusal: executeRefusal,
    run: ({jobs}) => void jobs.start(executeAll),
  },
  {
    id: 'job.resume',
    keys: ['u'],
    label: 'resume',
    called: ({state}) => (state && resumeWords[state]) ?? 'resume',
    help: 'resume, answer or decide',
    hint: 'first',
    at: besidePlan,
    section: 'Run',
    refusal: resumeRefusal,
    run: withTask(resume),
  },
  {
    id: 'job.restart',
    keys: ['R'],
    label: 'restart',
    hint: 'first',
    at: besidePlan,
    section: 'Run',
    refusal: restartRefusal,
    run: withTask(({open}, taskId) => open({type: 'restart', taskId})),
  },
  {
    id: 'job.retry',
    keys: ['t'],
    label: 'retry',
    hint: 'first',
    at: besidePlan,
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
    at: besidePlan,
    section: 'Run',
    refusal: withdrawRefusal,
    run: withTask(({core, ports, fail}, id) => {
      ports
        .withdraw(id)
        .then(() => core.say({tone: 'accent', text: `${id} waits for your decision again`}), fail);
    }),
  },
  {
    id: 'job.undo',
    keys: ['U'],
    label: 'undo its changes',
    hint: 'more',
    at: besidePlan,
    section: 'Run',
    refusal: undoRefusal,
    run: withTask(({ports, open, fail}, taskId) => {
      ports.proposeUndo(taskId).then((proposal) => open(undoDialog(proposal)), fail);
    }),
  },
  {
    id: 'job.executeTask',
    keys: ['E'],
    label: 'execute task',
    hint: 'first',
    at: besidePlan,
    section: 'Run',
    refusal: executeTaskRefusal,
    run: ({core, jobs}) => {
      const {plan, task} = core.facts();
      if (plan && task) void jobs.start({type: 'execute', taskIds: readyBelow(plan, task)});
    },
  },
];

/** The files are seen before; what stands in its way is confirmed with them. */
function undoDialog(proposal: UndoProposal): Dialog {
  const refusal = refusalOfUndo(proposal);
  const {length} = proposal.files.files;
  const headline = refusal?.message ?? (length === 0 ? 'Its files are as before already.' : 'Its files:');
  const lines = [headline, ...proposalLines(proposal)];
  return {type: 'undo', taskId: proposal.task.id, lines, isForced: refusal !== null};
}

const resumeWords: Partial<Record<TaskState, string>> = {
  asks: 'answer',
  decision: 'decide',
  feedback: 'see the review',
};

/** What waits for a person is shown first; otherwise the agent goes on. */
function resume({core, jobs, open}: CommandContext, taskId: string): void {
  const {state, run} = core.facts();
  if (state === 'asks' && (run?.questions?.length ?? 0) > 0) open({type: 'questions', taskId});
  else if (state === 'decision') open({type: 'checkpoint', taskId});
  else if (state === 'feedback') open({type: 'feedback', taskId});
  // Changes that were requested and never delivered: the engine delivers them, or asks again.
  else if (run?.decision_state === 'changes_requested') void jobs.start(reviewStep(taskId));
  else void jobs.start(resumeStep(taskId));
}
