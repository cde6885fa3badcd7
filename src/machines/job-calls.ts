import type {HookName, Hooks} from '../services/contracts/hooks.ts';
import type {Services} from '../services/contracts/services.ts';
import type {EngineFact} from './engine-fact.ts';
import {
  type CallRules,
  decisionCall,
  endCall,
  hasOutcome,
  type JobEnd,
  needCall,
  taskCall,
} from './policies/job/hook-payloads.ts';
import type {JobResult} from './policies/job/job-steps.ts';
import {jobSummary} from './policies/job/job-summary.ts';

export type JobCalls = {
  /** The rules of a job also apply to its hooks. */
  readonly prepare: (rules: CallRules) => void;
  /** The project is this job's. One that is refused because another runs is no job that could end. */
  readonly begin: () => void;
  readonly onFact: (fact: EngineFact) => void;
  /** Resolves when every command has ended, by itself or by its time limit. */
  readonly end: (result: JobResult) => Promise<void>;
  /** Ends commands that are still running, because someone does not want to wait for them. */
  readonly cancel: () => void;
};

/**
 * Runs the user's hooks and keeps the machine awake. Nothing in the job waits for them or depends on them; failures are
 * warnings.
 */
export function createJobCalls(
  {
    hooks,
    keepAwake,
    plans,
    project,
    now,
  }: Pick<Services, 'hooks' | 'keepAwake' | 'plans' | 'project' | 'now'>,
  onWarning: (message: string) => void,
): JobCalls {
  let prepared: CallRules | null = null;
  let commands: Hooks | null = null;
  let release = () => {};
  /** One after another, so that the end is reported after everything before it. */
  let calls = Promise.resolve();
  let isCanceled = false;
  /** Tasks whose checkpoint was already announced. */
  const called = new Set<string>();

  const call = (name: HookName, data: object) => {
    const command = commands?.[name] ?? '';
    if (command === '') return;
    const told = {hook: name, folder: project.root, time: now(), ...data};
    calls = calls.then(async () => {
      if (isCanceled) return;
      const problem = await hooks.run(command, told);
      if (problem !== null) onWarning(`hooks.${name} failed: ${problem}`);
    });
  };
  return {
    prepare: (rules) => {
      prepared = rules;
    },
    begin: () => {
      commands = prepared?.hooks ?? null;
      isCanceled = false;
      if (prepared?.keepsAwake) release = keepAwake();
    },
    onFact: (fact) => {
      if (fact.type === 'task.settled' && hasOutcome(fact.run)) call('taskEnded', taskCall(fact.run));
      // After a refusal the user is already there.
      if (fact.type !== 'decision.required' || fact.request.refusal !== undefined) return;
      called.add(fact.request.task.id);
      call('needsYou', decisionCall(fact.request));
    },
    end: async (result) => {
      release();
      release = () => {};
      if (commands !== null && Object.values(commands).some((command) => command !== '')) {
        const end = await endOf(result, plans);
        const need = needCall(end, result);
        const taskId = need && 'task_id' in need ? need.task_id : '';
        const isKnown = need?.reason === 'decision_required' && called.has(taskId ?? '');
        if (need !== null && !isKnown) call('needsYou', need);
        call('jobEnded', endCall(result, end));
      }
      await calls;
      commands = null;
      called.clear();
    },
    cancel: () => {
      isCanceled = true;
      hooks.stop();
    },
  };
}

/** A job that broke is reported by its error. */
async function endOf(result: JobResult, plans: Services['plans']): Promise<JobEnd> {
  try {
    return jobSummary(result, await plans.read());
  } catch (error) {
    return {error};
  }
}
