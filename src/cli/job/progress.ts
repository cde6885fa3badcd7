import type {EngineFact} from '../../machines/engine.ts';
import {continueCommand} from '../../machines/policies/job/summary-lines.ts';
import {stopWords, waitLine} from '../../machines/policies/job/wait-lines.ts';
import {answersPlan} from '../../machines/policies/planning/answers-plan.ts';
import {decisionWords} from '../../machines/policies/review/checkpoint-choices.ts';
import {takenBackTexts, warningTexts} from '../../machines/policies/review/effect-words.ts';
import {remarksOf} from '../../machines/policies/review/review-remarks.ts';
import {programName} from '../../machines/policies/run/agent-program.ts';
import {commitWords} from '../../machines/policies/run/commit-message.ts';
import {failureWords} from '../../machines/policies/run/failure-table.ts';
import {isHeldForTime} from '../../machines/policies/run/retry-time.ts';
import {counted} from '../../machines/policies/text/counted.ts';
import {displayLine, displayText, visibleLine} from '../../machines/policies/text/display-text.ts';
import {dollars, duration, usedTokens, workTime} from '../../machines/policies/text/durations.ts';
import {messageOf} from '../../services/contracts/errors.ts';
import type {RunRecord} from '../../services/contracts/run.ts';
import type {CliContext} from '../context.ts';
import {folded} from '../terminal/fold.ts';
import {liveLine} from '../terminal/live-line.ts';
import {painter} from '../terminal/paint.ts';
import {printableJson} from '../terminal/printable-json.ts';
import {createCheckLines} from './check-lines.ts';
import {changesLine, pausingLine, restingLine} from './fact-lines.ts';
import {planData, turnLine} from './plan-progress.ts';

/** Reports what happens while a job runs, in the requested form. */
export type Progress = {
  readonly onFact: (fact: EngineFact) => void;
  readonly close: () => void;
};

/** One JSON event per line, for scripts. */
export function jsonProgress({out}: CliContext): Progress {
  return {onFact: (fact) => out(printableJson(asData(fact))), close: () => {}};
}

/** Lines for people; on a terminal the last one is live. */
export function textProgress(
  context: Pick<CliContext, 'out' | 'err' | 'stdout' | 'now'>,
  write: (text: string) => void,
  {isStreaming, retries = 0}: {readonly isStreaming: boolean; readonly retries?: number},
): Progress {
  const paint = painter(context.stdout);
  // The agent's own output and a redrawn line would overwrite each other.
  const live = context.stdout.isTerminal && !isStreaming ? liveLine(context, write) : null;
  const progressOfChecks = createCheckLines(paint);
  let making: string | null = null;
  let isWaiting = false;
  const resting: string[] = [];
  const requested = new Set<string>();
  const say = (text: string) => {
    live?.clear();
    context.out(folded(text, context.stdout.columns));
  };
  const begin = (text: string) => {
    for (const line of [...resting.splice(0), text]) say(line);
    live?.begin();
  };
  return {
    onFact: (fact) => {
      switch (fact.type) {
        case 'task.started': {
          const {task, run, order} = fact.prepared;
          const isNew = order.type === 'run.launch' && !run.resumed_from_run_id;
          const verb = isNew ? retryWords(run, retries) : ', resumed';
          begin(
            `${paint('cyan', '▶')} ${displayLine(task.id)}  ${displayLine(task.title)}  (${programName(run)}${verb})`,
          );
          return;
        }
        case 'plan.started':
          begin(`${paint('cyan', '▶')} ${turnLine(fact)}`);
          return;
        case 'review.started':
          begin(`running parent review for ${displayLine(fact.prepared.task.id)}`);
          return;
        case 'review.settled': {
          const {type, run} = fact.verdict;
          const id = displayLine(run.task_id);
          if (type === 'passed')
            say(`${paint('green', '✓')} parent review passed for ${id}${remarkLines(run)}`);
          else if (type === 'broken')
            say(`${paint('red', '✗')} parent review of ${id} had no result${reasonLine(run)}`);
          return;
        }
        case 'agent.news':
          if (!isPlanAnswer(fact)) live?.update(fact.news);
          if (!live && fact.news.type === 'retrying')
            say(`  retrying: ${displayLine(fact.news.failure.message)}`);
          return;
        case 'run.recovered':
          // A run that never started is simply run again.
          if (fact.run.state === 'paused')
            say(
              `${paint('yellow', 'Ⅱ')} ${displayLine(fact.run.task_id)} was interrupted when Blackbird ended, and is paused: ${continueCommand(fact.run)}`,
            );
          return;
        case 'run.resting':
          // Reported when the job waits for it, or at the end if nothing starts.
          if (!isHeldForTime(fact.run)) resting.push(restingLine(fact.run));
          return;
        case 'task.settled':
          say(decisionLine(fact.run, paint) ?? outcomeLine(fact.run, paint));
          return;
        case 'wait.started':
          isWaiting = true;
          if (live) live.wait(fact.wait);
          else say(`${paint('yellow', 'Ⅱ')} ${waitLine(fact.wait, context.now())}`);
          return;
        case 'wait.ended':
          isWaiting = false;
          live?.close();
          return;
        case 'engine.pausing':
          say(pausingLine(fact));
          return;
        case 'engine.stopping':
          if (fact.isAskedElsewhere) say(`${stopWords(isWaiting)}, as asked in another terminal`);
          return;
        case 'engine.warning':
          live?.clear();
          context.err(folded(`warning: ${displayLine(fact.message)}`, context.stdout.columns));
          return;
        case 'run.updated': {
          // A superseded run ended and was reported long ago.
          if (fact.run.superseded_by_run_id !== undefined) return;
          const checks = progressOfChecks(fact.run);
          for (const line of checks.lines) say(line);
          if (checks.making !== making && checks.making !== null) {
            if (live) live.say(checks.making);
            else say(`  ${checks.making}`);
          }
          making = checks.making;
          if (fact.run.decision_state === 'pending') say(outcomeLine(fact.run, paint));
          if (fact.run.decision_state === 'changes_requested' && !requested.has(fact.run.run_id)) {
            requested.add(fact.run.run_id);
            say(changesLine(fact.run, paint));
          }
          return;
        }
        case 'decision.received': {
          const {task, posted} = fact.received;
          say(
            `${displayLine(task.id)} was decided in another terminal: ${decisionWords[posted.decision.state]}`,
          );
          return;
        }
        case 'decision.required':
        case 'plan.asked':
        case 'plan.proposed':
        case 'plan.saved':
          return;
      }
    },
    close: () => live?.close(),
  };
}

/** For a run that Blackbird started by itself because the previous one failed. */
const retryWords = ({retry_number: number}: RunRecord, most: number): string =>
  number === undefined ? '' : `, retry ${number} of ${Math.max(number, most)}, told what failed`;

/** Its JSON is shown as a proposal instead. */
const isPlanAnswer = ({run, news}: Extract<EngineFact, {type: 'agent.news'}>) =>
  run.run_type === 'plan' && news.type === 'activity' && answersPlan(news.activity.text);

/** The end of a run in one line: symbol and word, duration, cost. */
function outcomeLine(run: RunRecord, paint = painter({hasColor: false})): string {
  const isUndecided = run.state === 'succeeded' && run.decision_state === 'pending';
  const [style, symbol, word] = isUndecided ? undecided : outcomes[run.state];
  const parts = [
    word,
    duration(workTime(run)),
    ...changedFiles(run),
    ...(run.usage ? [usedTokens(run.usage)] : []),
    ...(run.commit?.sha === undefined ? [] : [commitWords(run.commit)]),
    ...(run.usage?.cost_usd === undefined ? [] : [dollars(run.usage.cost_usd)]),
  ];
  const besides = warningTexts(run).map((text) => `\n  ${paint('yellow', 'beware:')} ${visibleLine(text)}`);
  const notCommitted = run.commit?.skipped === undefined ? '' : `\n  ${commitWords(run.commit)}`;
  return `${paint(style, symbol)} ${displayLine(run.task_id)}  ${parts.join('  ')}${reasonLine(run)}${notCommitted}${besides.join('')}`;
}

const reasonLine = ({failure, state}: RunRecord) =>
  failure && state !== 'canceled' ? `\n  ${displayLine(failureWords(failure))}` : '';

const remarkLines = (run: RunRecord) => {
  const remarks = displayText(remarksOf(run));
  return remarks === '' ? '' : `\n  remark: ${remarks.replaceAll('\n', '\n  ')}`;
};

/** The decision on a run whose end was reported when its checkpoint began; null if there was none. */
function decisionLine(run: RunRecord, paint: ReturnType<typeof painter>): string | null {
  const {task_id, state, decision_state, commit} = run;
  if (decision_state === 'rejected') {
    const back = takenBackTexts(run).map((text) => `\n  ${displayLine(text)}`);
    return `${paint('red', '✗')} ${displayLine(task_id)}  rejected${back.join('')}`;
  }
  const isApproved = decision_state === 'approved_continue' || decision_state === 'approved_quit';
  if (!isApproved) return null;
  // Approving a failed run leaves its task failed.
  const [style, symbol, word] = outcomes[state];
  const committed =
    commit === undefined ? '' : `${commit.sha === undefined ? '\n  ' : '  '}${commitWords(commit)}`;
  const late = (run.side_effects ?? []).filter(({kind}) => kind === 'late_changes');
  const beware = late.map(({text}) => `\n  ${paint('yellow', 'beware:')} ${visibleLine(text)}`).join('');
  return `${paint(style, symbol)} ${displayLine(task_id)}  ${state === 'succeeded' ? 'approved' : `accepted as ${word}`}${committed}${beware}`;
}

function changedFiles({review_summary: summary}: RunRecord): string[] {
  const count = summary?.total_files ?? summary?.files.length ?? 0;
  return count === 0 ? [] : [counted(count, 'file')];
}

const outcomes = {
  running: ['cyan', '●', 'running'],
  waiting: ['yellow', '?', 'waits for your answer'],
  paused: ['yellow', 'Ⅱ', 'paused'],
  succeeded: ['green', '✓', 'done'],
  failed: ['red', '✗', 'failed'],
  canceled: ['dim', '○', 'canceled'],
} as const satisfies Record<RunRecord['state'], readonly [string, string, string]>;

/** At its checkpoint a task is not done yet. */
const undecided = ['yellow', '!', 'finished'] as const;

const verdictWords = {passed: 'passed', sentBack: 'sent_back', broken: 'broken'} as const;

function asData(fact: EngineFact): unknown {
  switch (fact.type) {
    case 'task.started': {
      const {task, run} = fact.prepared;
      return {
        event: fact.type,
        task_id: task.id,
        title: task.title,
        run_id: run.run_id,
        provider: run.provider,
      };
    }
    case 'run.recovered':
    case 'run.resting':
    case 'run.updated':
    case 'task.settled': {
      const {stdout: _, stderr: __, ...run} = fact.run;
      return {event: fact.type, run};
    }
    case 'decision.required': {
      const {task, run, refusal} = fact.request;
      const {stdout: _, stderr: __, ...rest} = run;
      return {
        event: fact.type,
        task_id: task.id,
        title: task.title,
        run: rest,
        ...(refusal === undefined ? {} : {refusal: messageOf(refusal)}),
      };
    }
    case 'decision.received': {
      const {task, run, posted} = fact.received;
      return {event: fact.type, task_id: task.id, run_id: run.run_id, decision: posted.decision};
    }
    case 'review.started': {
      const {task, run} = fact.prepared;
      return {event: fact.type, parent_task_id: task.id, run_id: run.run_id, provider: run.provider};
    }
    case 'review.settled': {
      const {stdout: _, stderr: __, ...run} = fact.verdict.run;
      const pending = fact.verdict.type === 'sentBack' ? {pending: fact.verdict.pending} : {};
      return {event: fact.type, verdict: verdictWords[fact.verdict.type], run, ...pending};
    }
    case 'agent.news':
      return {event: fact.type, task_id: fact.run.task_id, run_id: fact.run.run_id, ...fact.news};
    case 'wait.started':
    case 'wait.ended': {
      const {taskId, runId, provider, reason, until} = fact.wait;
      const run = runId === null ? {} : {run_id: runId};
      return {event: fact.type, task_id: taskId, ...run, provider, reason, until};
    }
    case 'plan.started':
    case 'plan.proposed':
    case 'plan.asked':
    case 'plan.saved':
      return planData(fact);
    case 'engine.pausing':
      return {
        event: fact.type,
        forced: fact.isForced,
        ...(fact.isAskedElsewhere && {asked_elsewhere: true}),
      };
    case 'engine.stopping':
      return {event: fact.type, ...(fact.isAskedElsewhere && {asked_elsewhere: true})};
    case 'engine.warning':
      return {event: fact.type, message: fact.message};
  }
}
