import {type CallbackLogicFunction, fromCallback, fromPromise} from 'xstate';
import type {
  Activity,
  AgentEvent,
  AgentRequest,
  Dialect,
  Failure,
  Usage,
} from '../../services/contracts/agent.ts';
import type {RunningAgent} from '../../services/contracts/agent-process.ts';
import type {AgentEnding, AgentRunner, LaunchedAgent} from '../../services/contracts/agent-runner.ts';
import {AppError, messageOf} from '../../services/contracts/errors.ts';
import {planAnswerLimit} from '../../services/contracts/plan-answer.ts';
import type {ProcessIdentity} from '../../services/contracts/process.ts';
import {reviewAnswerLimit} from '../../services/contracts/review-answer.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import {exampleQuestion} from '../policies/run/agent-prompt.ts';
import {askedQuestions} from '../policies/run/asked-questions.ts';
import {agentLimits, type Budgets} from '../policies/run/budget.ts';
import type {SegmentEnd, SegmentExit, SegmentVerdict} from '../policies/run/run-step.ts';
import {isSessionStored} from '../policies/run/run-step.ts';
import type {Silence} from '../policies/run/silence.ts';
import {usageSoFar} from '../policies/run/spent.ts';
import type {SpendingTracker} from './spending.ts';

export type AgentInput = {
  readonly run: RunRecord;
  readonly request: AgentRequest;
  readonly budgets?: Budgets;
};
export type AgentOrder =
  | {type: 'agent.go'}
  /** The session ref is stored: the next line may be read. */
  | {type: 'agent.readOn'}
  /** Answered by `agent.silent`. */
  | {type: 'agent.reportSilence'}
  | {type: 'agent.interrupt'}
  | {type: 'agent.kill'};
export type AgentReport =
  | {readonly type: 'agent.held'; readonly identity: ProcessIdentity; readonly argv: readonly string[]}
  | {readonly type: 'agent.spawnFailed'; readonly message: string}
  | {readonly type: 'agent.sessionCaptured'; readonly sessionRef: string; readonly dialect?: Dialect}
  | {readonly type: 'agent.resultSeen'; readonly isOk: boolean}
  /** It keeps retrying something that cannot succeed. */
  | {readonly type: 'agent.fatalRetrySeen'}
  | ({readonly type: 'agent.silent'} & Silence)
  | ({readonly type: 'agent.exited'} & SegmentExit);

/**
 * A result is a summary for others and may be cut; the answer of a reviewer or planner is parsed, so it is kept whole
 * or not at all.
 */
const answerLimits = {
  execute: 4_000,
  undo: 4_000,
  review: reviewAnswerLimit,
  plan: planAnswerLimit,
} as const satisfies Record<RunRecord['run_type'], number>;

/** What an agent left behind, by run: too large for a machine's context, fetched when it is recorded. */
export type AgentEndings = Map<string, {readonly end: SegmentEnd; readonly text: string}>;

/** The live agents and checks, by run. Signals and the sweep find them here. */
export type LiveAgents = Map<
  string,
  Pick<RunningAgent<unknown>, 'suspend' | 'wake' | 'ended' | 'endEverything'>
>;

/** An agent's activity, for views. */
export type AgentNews =
  | {readonly type: 'activity'; readonly activity: Activity}
  /** The full message; its first line is also an activity. */
  | {readonly type: 'message'; readonly text: string}
  /** Of the whole run so far. */
  | {readonly type: 'usage'; readonly usage: Usage}
  | {readonly type: 'retrying'; readonly failure: Failure};

/** Adapts the agent runner to the actor that `segmentMachine` invokes as `agent`. */
export function defineAgentActor({
  agents,
  live,
  endings,
  spending,
  monotonicNow,
  onNews,
}: {
  agents: AgentRunner;
  live: LiveAgents;
  endings: AgentEndings;
  spending: SpendingTracker;
  monotonicNow: () => number;
  onNews: (run: RunRecord, news: AgentNews) => void;
}) {
  const logic: CallbackLogicFunction<AgentOrder, AgentReport, AgentInput> = ({input, receive, sendBack}) => {
    const {run, budgets} = input;
    const limits = budgets ? agentLimits(budgets, spending.read(run)) : {};
    const request = {...input.request, ...limits};
    let agent: LaunchedAgent | null = null;
    let isRetrying = false;
    let isAbandoned = false;
    let sessionSeenAt: number | null = null;
    let hasLaterLine = false;
    let killedAt: number | null = null;
    let strangeRef: string | null = null;
    let hasWorked = false;

    const kill = () => {
      killedAt ??= monotonicNow();
      agent?.kill();
    };

    const onEvent = (event: AgentEvent) => {
      if (sessionSeenAt !== null) hasLaterLine = true;
      if (isWork(event)) hasWorked = true;
      // A notice between two retries is no progress.
      if (!isNotice(event)) isRetrying = event.type === 'retrying';
      switch (event.type) {
        case 'session':
          if (sessionSeenAt !== null) return;
          if (request.kind === 'resume' && event.ref !== request.sessionRef) {
            // The provider opened another session: nothing it does may count.
            strangeRef = event.ref;
            kill();
            return;
          }
          sessionSeenAt = monotonicNow();
          agent?.hold();
          sendBack({
            type: 'agent.sessionCaptured',
            sessionRef: event.ref,
            ...(event.dialect && {dialect: event.dialect}),
          });
          return;
        case 'result':
          sendBack({type: 'agent.resultSeen', isOk: event.result.ok});
          return;
        case 'retrying':
          if (event.isFatal) sendBack({type: 'agent.fatalRetrySeen'});
          onNews(run, event);
          return;
        case 'usage':
          spending.used(run, event.usage, event.wholeSession === true);
          onNews(run, {type: 'usage', usage: usageSoFar(run, event.usage, event.wholeSession === true)});
          return;
        case 'activity':
        case 'message':
          onNews(run, event);
          return;
        case 'turn':
        case 'diagnosis':
        case 'messageUsage':
          return;
      }
    };

    const finish = (ending: AgentEnding) => {
      const {exitCode, signal, stdout, stderr, isLogTruncated, verdict} = ending;
      const {usage, isWholeSession = false} = ending;
      // It was killed without being asked to stop, so it stored nothing.
      if (signal !== null && !politeSignals.has(signal)) killedAt ??= monotonicNow();
      spending.ended(run.run_id);
      endings.set(run.run_id, {
        end: {
          exitCode,
          signal,
          stdout,
          stderr,
          ...(isLogTruncated && {isLogTruncated}),
          ...(usage === undefined ? {} : {usage, isWholeSession}),
        },
        text: verdict.text.slice(0, answerLimits[run.run_type]),
      });
      sendBack({
        type: 'agent.exited',
        verdict: strangeRef === null ? verdictOf(ending, request, hasWorked) : strangeSession(strangeRef),
        isSessionStored: isSessionStored({sessionSeenAt, hasLaterLine, killedAt}),
        hasWorked,
      });
    };

    const start = async () => {
      endings.delete(run.run_id);
      try {
        agent = await agents.launch({run, request, onEvent});
      } catch (error) {
        sendBack({type: 'agent.spawnFailed', message: messageOf(error)});
        return;
      }
      live.set(run.run_id, agent);
      if (isAbandoned) kill();
      sendBack({type: 'agent.held', identity: agent.identity, argv: agent.argv});
      try {
        finish(await agent.ended);
      } catch (error) {
        spending.ended(run.run_id);
        const failure = failureOf({kind: 'agent_error', message: messageOf(error)}, request, hasWorked);
        sendBack({
          type: 'agent.exited',
          verdict: {outcome: 'failed', failure},
          isSessionStored: false,
          hasWorked,
        });
      }
    };
    void start();

    receive((order) => {
      if (order.type === 'agent.go') {
        spending.started(run.run_id);
        agent?.go();
      } else if (order.type === 'agent.readOn') agent?.readOn();
      else if (order.type === 'agent.reportSilence')
        sendBack({type: 'agent.silent', milliseconds: agent?.silentFor() ?? 0, isRetrying});
      else if (order.type === 'agent.interrupt') agent?.interrupt();
      else kill();
    });

    return () => {
      isAbandoned = true;
      // Never leaves an agent behind; after a sweep there is none.
      if (live.has(run.run_id)) kill();
    };
  };
  return fromCallback(logic);
}

/** Ends whatever is left of a run and resolves when it is gone. */
export function defineEndEverythingActor({live}: {live: LiveAgents}) {
  return fromPromise<void, {readonly run: RunRecord}>(async ({input: {run}}) => {
    const agent = live.get(run.run_id);
    if (!agent) return;
    const {remaining} = await agent.endEverything();
    if (remaining.length > 0) throw stillAlive(run, remaining);
    live.delete(run.run_id);
    // The ending is known before anything is recorded about it.
    await agent.ended.catch(() => {});
  });
}

export function stillAlive({run_id}: RunRecord, pids: readonly number[]): AppError {
  const named = pids.join(', ');
  return new AppError(
    'E_PROCESS_ALIVE',
    `processes ${named} of run ${run_id} are alive and cannot be ended`,
    {
      details: [
        ['run', run_id],
        ['pids', named],
      ],
    },
  );
}

/** After one of these signals an agent has time to store its session, and may exit with the same signal. */
const politeSignals: ReadonlySet<string> = new Set(['SIGINT', 'SIGTERM', 'SIGHUP']);

const isNotice = (event: AgentEvent): boolean =>
  event.type === 'activity' && event.activity.kind === 'notice';

/** The model said or did something. Output without a command comes from the program itself. */
function isWork(event: AgentEvent): boolean {
  if (event.type === 'activity') return event.activity.kind !== 'notice' && event.activity.kind !== 'output';
  return event.type === 'message' || (event.type === 'result' && event.result.ok);
}

/** A crash, a broken configuration, a version without `resume`: it never continued its session. */
function failureOf(failure: Failure, {kind}: AgentRequest, hasWorked: boolean): Failure {
  const isRejected = kind === 'resume' && !hasWorked && failure.kind === 'agent_error';
  return isRejected ? {...failure, kind: 'resume_rejected'} : failure;
}

function verdictOf({verdict}: AgentEnding, request: AgentRequest, hasWorked: boolean): SegmentVerdict {
  const {answerSchema} = request;
  // An agent that was asked for an answer in a fixed form cannot ask questions.
  const asked = answerSchema === undefined ? askedQuestions(verdict.text) : [];
  // An agent that repeats its prompt asks nothing.
  const questions = asked.filter(({prompt}) => prompt !== exampleQuestion.prompt);
  if (verdict.outcome === 'failed')
    return {outcome: 'failed', failure: failureOf(verdict.failure, request, hasWorked)};
  return questions.length > 0 ? {outcome: 'waiting', questions} : {outcome: 'succeeded'};
}

function strangeSession(ref: string): SegmentVerdict {
  const message = `the provider opened another session (${ref.slice(0, 80)}) instead of continuing this one`;
  return {outcome: 'failed', failure: {kind: 'resume_rejected', message}};
}
