import type {NextStep} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {programName} from '../run/agent-program.ts';
import {type Outcome, runOutcome} from './outcomes.ts';

/** The texts that a run's journal leaves out. All of them are untrusted. */
export type RunFacts = {
  readonly task_id: string;
  readonly title: string;
  readonly run_id: string;
  readonly job_id: string | null;
  readonly agent: string;
  readonly model: string | null;
  readonly from: string;
  readonly to: string;
  readonly outcome: Outcome;
  /** Why it failed, was refused or is held up, in the agent's words. */
  readonly failure: string | null;
  readonly questions: readonly string[];
  readonly tokens: number | null;
  readonly cost_usd: number | null;
  /** The commands that are possible for its task now. */
  readonly next: readonly NextStep[];
  /** Every run of the task, oldest first. */
  readonly runs: ReadonlyArray<{
    readonly run_id: string;
    readonly attempt: number;
    readonly outcome: Outcome;
  }>;
};

export function runFacts(
  run: RunRecord,
  {
    title,
    next,
    runs,
    isLost,
  }: Pick<RunFacts, 'title' | 'next'> & {
    readonly runs: readonly RunRecord[];
    readonly isLost: (run: RunRecord) => boolean;
  },
): RunFacts {
  const {task_id, run_id, job_id = null, model = null, usage, failure, questions = []} = run;
  const standing = (each: RunRecord): Outcome =>
    isLost(each) ? {kind: 'lost', word: 'lost'} : runOutcome(each);
  return {
    task_id,
    title,
    run_id,
    job_id,
    model,
    next,
    agent: programName(run),
    from: run.created_at,
    to: run.updated_at,
    outcome: standing(run),
    failure: failure?.message ?? null,
    questions: run.state === 'waiting' ? questions.map(({prompt}) => prompt) : [],
    tokens: usage ? usage.input_tokens + usage.output_tokens : null,
    cost_usd: usage?.cost_usd ?? null,
    runs: runs.map((each) => ({run_id: each.run_id, attempt: each.attempt, outcome: standing(each)})),
  };
}
