import {AppError, type ErrorCode, shellWord} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {isAboutProgram, type ProgramChoice, programObstacle, resumeInProgram} from './program.ts';
import {isUnheard} from './run-status.ts';

export type RelaunchCircumstances = ProgramChoice & {readonly repoRoot: string};

export type ResumeCircumstances = RelaunchCircumstances & {readonly isSessionRef: (ref: string) => boolean};

/** Why this run cannot go on in its own session, or null when it can. */
export function resumeObstacle(run: RunRecord, circumstances: ResumeCircumstances): string | null {
  const obstacle = relaunchObstacle(run, circumstances);
  if (obstacle !== null) return obstacle;
  const isOfNobody = run.provider === 'custom' && run.provider_dialect === undefined;
  if (run.provider_session_ref === '' || isOfNobody) return 'no session ref was captured before it stopped';
  if (!circumstances.isSessionRef(run.provider_session_ref)) {
    return `its session ref has not the form ${run.provider} uses`;
  }
  if (!run.resumable) return 'the provider had not stored the session yet when it stopped';
  return null;
}

/** Why this run cannot go on at all, not even in a new session, or null when it can. */
export function relaunchObstacle(
  run: RunRecord,
  {repoRoot, ...choice}: RelaunchCircumstances,
): string | null {
  if (run.superseded_by_run_id) return `it was replaced by run ${run.superseded_by_run_id}`;
  const obstacle = programObstacle(run, choice);
  if (obstacle !== null) return obstacle;
  if (run.repo_root !== '' && run.repo_root !== repoRoot) {
    return `it belongs to another working folder: ${run.repo_root} (this is ${repoRoot})`;
  }
  return null;
}

/** The whole diagnosis of a resume that cannot be: task, run, provider, session, reason, what to do. */
export function resumeRefusal(
  code: ErrorCode,
  task: Pick<Task, 'id' | 'title'>,
  run: RunRecord,
  reason: string,
): AppError {
  const since = run.paused_at ?? run.updated_at;
  const {kind, message} = run.failure ?? {};
  const isPassing = reason === message && (kind === 'auth' || kind === 'rate_limit');
  return new AppError(code, `cannot resume ${task.id}: ${reason}`, {
    details: [
      ['task', `${task.id}  ${task.title}`.trimEnd()],
      ['run', `${run.run_id}  ${run.state} ${since}`],
      ['provider', run.provider],
      ['session', run.provider_session_ref === '' ? '(none)' : run.provider_session_ref],
      ['reason', reason],
    ],
    next: [
      ...(isAboutProgram(reason) ? [resumeInProgram(run)] : []),
      ...(isPassing ? [{command: `blackbird resume ${shellWord(task.id)}`, why: 'try again later'}] : []),
      {command: `blackbird restart ${shellWord(task.id)}`, why: 'start again, history is kept'},
      ...(isStillAsked(run)
        ? [
            {
              command: `blackbird review ${shellWord(task.id)}`,
              why: 'decide otherwise; it still waits for you',
            },
          ]
        : []),
    ],
  });
}

/** Changes that nobody heard of leave the checkpoint open. */
const isStillAsked = (run: RunRecord) =>
  run.decision_state === 'pending' || (run.decision_required === true && isUnheard(run));

/**
 * Whether the session survived how the agent was stopped: one that was killed or lost within a second of
 * announcing it, with no later line, had not stored it yet.
 */
export function isSessionStored(facts: {
  readonly sessionSeenAt: number | null;
  readonly hasLaterLine: boolean;
  readonly killedAt: number | null;
}): boolean {
  if (facts.sessionSeenAt === null) return false;
  if (facts.killedAt === null || facts.hasLaterLine) return true;
  return facts.killedAt - facts.sessionSeenAt >= sessionStoreWindow;
}

const sessionStoreWindow = 1_000;
