import type {Job, JobResult} from '../../machines/engine.machine.ts';
import {resolveConfig, settingOf} from '../../machines/policies/config-resolution.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import type {JobEnd, JobRequest} from '../../ui/ports.ts';
import type {Project} from '../composition.ts';
import {exitCodes} from '../exit-codes.ts';
import {chooseAgent, type OpenedEngine} from '../job/engine-composition.ts';
import {agentInput} from '../job/job.ts';
import {reportJob} from '../job/job-report.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What a key of the terminal UI starts, as the engine takes it: the same jobs as the commands. */
export function createJobStarter(project: Project, opened: OpenedEngine, env: Env) {
  const {plans, folder, config: settings} = project;

  /** Settings and agent as they are now, not as they were when the screen was opened. */
  const inputNow = async () => {
    const config = resolveConfig(await settings.layers());
    const provider = await chooseAgent({folder, env});
    return {
      ...agentInput({...opened, provider, config}),
      // Where nobody asks for checkpoints, a run keeps to how it began.
      ...(settingOf(config, 'execution.stopAfterEachTask') ? {isReviewed: true} : {}),
      isAttended: true,
      stopOnFailure: settingOf(config, 'execution.stopOnFailure'),
    };
  };

  const jobOf = async (request: Exclude<JobRequest, {type: 'sentBack'}>): Promise<Job> => {
    const {stopOnFailure, ...attended} = await inputNow();
    switch (request.type) {
      case 'execute': {
        const {taskIds} = request;
        return {type: 'execute', input: {...attended, taskIds, stopOnFailure, maxTasks: null}};
      }
      case 'resume': {
        const {taskId, answers, feedback} = request;
        return {type: 'task', input: {...attended, taskId, mode: {type: 'resume', answers, feedback}}};
      }
      case 'restart':
        return {type: 'task', input: {...attended, taskId: request.taskId, mode: {type: 'restart'}}};
      case 'review': {
        const {taskId, decision} = request;
        return {type: 'task', input: {...attended, taskId, mode: {type: 'review', decision}}};
      }
    }
  };

  /** Until one of them needs a person: the others stay sent back. */
  const runSentBack = async (taskIds: readonly string[]) => {
    const lines: string[] = [];
    for (const taskId of taskIds) {
      const end = await run(await jobOf({type: 'resume', taskId, answers: [], feedback: null}));
      lines.push(...end.lines);
      if (end.reason !== 'completed') return {...end, lines};
    }
    return {reason: 'completed', isPaused: false, lines};
  };

  return async (request: JobRequest): Promise<JobEnd> => {
    if (request.type === 'sentBack') return runSentBack(request.taskIds);
    const end = await run(await jobOf(request));
    if (request.type !== 'review' || request.decision.state !== 'approved_continue') return end;
    // Approved and continued: the plan goes on as if nobody had waited.
    const isHeldUp = end.reason === 'paused' || end.reason === 'decision_required';
    return isHeldUp ? end : run(await jobOf({type: 'execute', taskIds: []}));
  };

  async function run(job: Job) {
    const result = await opened.engine.start(job);
    const {reason, exitCode} = reportJob(result, await plans.read());
    return {
      reason,
      isPaused: exitCode === exitCodes.paused,
      lines: summaryOf(result, reason, isWholePlan(job)),
    };
  }
}

/** How it ended, for somebody who saw it: no commands, their keys are on the screen. */
function summaryOf(result: JobResult, reason: string, isWhole: boolean): string[] {
  if (result.type === 'task' && 'run' in result.output) {
    const {run, outcome} = result.output;
    return reason === 'paused' ? [] : [`${displayLine(run.task_id)}: ${outcomeWords[outcome]}`];
  }
  if (result.type !== 'execute') return [];
  const {attempted} = result.output;
  const count = (state: string) => attempted.filter((each) => each.state === state).length;
  const [done, failed] = [count('succeeded'), count('failed')];
  const parts = [
    ...(done > 0 ? [`${done} done`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(reason === 'completed' && isWhole ? ['no ready task is left'] : []),
  ];
  return parts.length === 0 ? [] : [parts.join(', ')];
}

/** Who chose tasks left others out, which may be ready. */
const isWholePlan = (job: Job): boolean => job.type === 'execute' && job.input.taskIds.length === 0;

const outcomeWords = {
  succeeded: 'done',
  failed: 'failed',
  canceled: 'canceled',
  paused: 'paused',
  waiting: 'waits for your answer',
  decision_required: 'waits for your decision',
  refused: 'refused',
} as const;
