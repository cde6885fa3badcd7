import type {PlanQuestion} from '../machines/actors/plan-draft.actor.ts';
import type {OpenDraft} from '../machines/drafts.ts';
import {alreadyBusy, type EngineFact} from '../machines/engine.ts';
import type {JobStep} from '../machines/policies/job/job-steps.ts';
import {stopWords} from '../machines/policies/job/wait-lines.ts';
import {decisionWords} from '../machines/policies/review/checkpoint-choices.ts';
import {commitWords} from '../machines/policies/run/commit-message.ts';
import type {DecisionRequest} from '../machines/review-gate.machine.ts';
import type {Dialog} from '../machines/tui-dialogs.ts';
import {messageOf} from '../services/contracts/errors.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {dialogFor} from './commands/plan-agent.ts';
import {createLiveRuns} from './live-runs.ts';
import {reveal, showTab} from './model/browse.ts';
import {messageLines} from './model/error-lines.ts';
import type {Notice} from './model/facts.ts';
import {turnWords, verdictNotice} from './model/job-words.ts';
import {rememberChange} from './plan-change.ts';
import type {TuiPorts} from './ports.ts';
import {withRun, withRunAtWork} from './seen-runs.ts';
import type {Jobs, TuiCore} from './tui-core.ts';

/** Jobs from the key press to their end, and what the engine reports meanwhile. */
export function createJobs(core: TuiCore, ports: TuiPorts): Jobs {
  const live = createLiveRuns(ports.now);
  /** The selection follows the job until the user moves it. */
  let isFollowing = false;
  /** The runs of this process; one that continues is active only once its record says so. */
  const started = new Set<string>();
  let left: readonly JobStep[] = [];
  /** What the user wrote for the planner; a draft until the planner's job has stored it. */
  let unstored: OpenDraft | null = null;
  /** The last messages of the job, which must not vanish unread when it ends. */
  let told: readonly Notice[] = [];
  const tell = (notice: Notice) => {
    told = [...told, notice].slice(-2);
    core.say(notice);
  };
  const dropStored = () => {
    void unstored?.drop();
    unstored = null;
  };

  const revealed = (taskId: string) => {
    const {plan, entries} = core.facts();
    const {browse} = core.get();
    return plan ? reveal(browse, plan, entries, taskId) : browse;
  };

  const takeRun = (run: RunRecord) => {
    const {data, job} = core.get();
    live.addChecks(run);
    if (run.state !== 'running') live.end(run.run_id);
    if (job && started.has(run.run_id)) {
      if (run.state === 'running' && !job.runs.has(run.run_id)) live.begin(run);
      core.patch({job: {...job, runs: withRunAtWork(job.runs, run)}});
    }
    if (data && run.run_type !== 'plan') core.patch({data: withRun(data, run)});
  };

  const onFact = (fact: EngineFact) => {
    switch (fact.type) {
      case 'agent.news':
        live.addNews(fact.run.run_id, fact.news);
        return;
      case 'task.started':
      case 'review.started': {
        const {task, run} = fact.prepared;
        started.add(run.run_id);
        takeRun(run);
        if (isFollowing) core.patch({browse: showTab(revealed(task.id), 'run')});
        return;
      }
      case 'plan.started': {
        const {run} = fact.prepared;
        dropStored();
        started.add(run.run_id);
        takeRun(run);
        const {planning} = core.get();
        core.patch({
          planning: {
            runId: run.run_id,
            words: turnWords[fact.why],
            question: null,
            selectedId: planning?.selectedId ?? null,
          },
        });
        // The first turn opens the dialog; a user who is elsewhere by then is not disturbed.
        if (planning === null) core.dialogs.ask({type: 'planWork'});
        return;
      }
      case 'plan.proposed':
        return;
      case 'plan.asked':
        askPlan(fact.question);
        return;
      case 'plan.saved':
        rememberChange(core, 'the proposed plan', fact.change);
        // The plan is what the user wanted to see, and where z undoes it.
        if (core.facts().screen === 'home') core.send({type: 'screen.plan'});
        tell({tone: 'good', text: 'z undoes it'});
        return;
      case 'review.settled':
        core.say(verdictNotice(fact.verdict));
        return;
      case 'run.updated':
      case 'run.recovered':
      case 'run.resting':
        takeRun(fact.run);
        return;
      case 'task.settled': {
        takeRun(fact.run);
        const {task_id, commit, decision_state} = fact.run;
        if (commit && decision_state !== undefined)
          tell({
            tone: commit.sha === undefined ? 'warning' : 'good',
            text: `${task_id} ${commitWords(commit)}`,
          });
        return;
      }
      case 'decision.required':
        askDecision(fact.request);
        return;
      case 'decision.received': {
        const {task, run, posted} = fact.received;
        const {decisions} = core.get();
        core.patch({decisions: new Map([...decisions].filter(([runId]) => runId !== run.run_id))});
        closePrompt();
        const words = decisionWords[posted.decision.state];
        const text = `${task.id} was decided in another terminal: ${words}`;
        tell({tone: 'accent', text, isFirst: true});
        return;
      }
      case 'engine.warning':
        tell({tone: 'warning', text: fact.message});
        return;
      case 'wait.started': {
        const {job, notice} = core.get();
        if (job) core.patch({job: {...job, wait: fact.wait}});
        // Good news makes way for the countdown; nobody may press a key for hours.
        if (notice?.tone === 'good' || notice?.tone === 'accent') core.patch({notice: null});
        return;
      }
      case 'wait.ended': {
        const {job} = core.get();
        if (job) core.patch({job: {...job, wait: null}});
        return;
      }
      case 'engine.stopping': {
        const {job} = core.get();
        core.send({type: 'job.stopAsked'});
        if (job) core.patch({job: {...job, isStopping: true}});
        if (fact.isAskedElsewhere)
          core.say({
            tone: 'accent',
            text: `${stopWords(job?.wait != null)}, as asked in another terminal`,
          });
        return;
      }
      case 'engine.pausing':
        if (fact.isAskedElsewhere) core.say({tone: 'accent', text: 'asked for in another terminal'});
        return;
    }
  };

  /** The engine waits. A refusal is shown first, then the question again. */
  const askDecision = (request: DecisionRequest) => {
    const taskId = request.task.id;
    core.asked.add(`${request.run.run_id} decision`);
    const {decisions} = core.get();
    core.patch({
      decisions: new Map(decisions).set(request.run.run_id, request),
      browse: revealed(taskId),
    });
    if (core.facts().screen !== 'plan') core.send({type: 'screen.plan'});
    const dialog = {type: 'checkpoint', taskId} as const;
    if (request.refusal === undefined) {
      ports.notify(`${taskId} waits for your decision`);
      core.dialogs.ask(dialog);
      return;
    }
    core.dialogs.ask({type: 'message', ...messageLines(request.refusal), next: dialog});
  };

  /** The planner waits. A failure is shown first, then the question again. */
  const askPlan = (question: PlanQuestion) => {
    const {planning, ui} = core.get();
    const before = planning ?? {runId: null, words: '', selectedId: null};
    core.patch({planning: {...before, question}});
    if (ui.context.dialog?.type === 'planWork') core.send({type: 'dialog.close'});
    core.dialogs.revise((waiting) => (waiting.type === 'planWork' ? null : waiting));
    const dialog = dialogFor(question);
    if (question.refusal === undefined) {
      dropStored();
      ports.notify(dialog.type === 'planReview' ? 'a plan is proposed' : 'the planner asks');
      core.dialogs.ask(dialog);
      return;
    }
    unstored = null;
    core.dialogs.ask({type: 'message', ...messageLines(question.refusal), next: dialog});
  };

  /** The job is over: its questions need no answer any more. */
  const closePrompt = () => {
    core.dialogs.revise(withoutJob);
    const {dialog} = core.get().ui.context;
    const left = dialog && withoutJob(dialog);
    if (dialog && left === null) core.send({type: 'dialog.close'});
    else if (left && left !== dialog) core.send({type: 'dialog.open', dialog: left});
  };

  /** Unreadable drafts are reported by `plan drafts`. */
  const readPlanDrafts = () => {
    ports.planDrafts().then(
      (planDrafts) => core.patch({planDrafts}),
      (error: unknown) => core.say({tone: 'warning', text: messageOf(error)}),
    );
  };

  let takeTurn: (isBegun: boolean) => void = () => {};
  const ownTurn = () =>
    new Promise<boolean>((resolve) => {
      takeTurn = resolve;
    });

  const start = async (...steps: readonly JobStep[]): Promise<void> => {
    // An earlier question may be answered while another job works: that job stays as it is.
    if (!core.get().ui.can({type: 'job.began'})) {
      unstored = null;
      core.dialogs.ask({type: 'message', ...messageLines(alreadyBusy())});
      return;
    }
    isFollowing = true;
    told = [];
    core.patch({job: {steps, runs: new Map(), isStopping: false, wait: null}, notice: null, past: null});
    core.send({type: 'job.began'});
    if (core.get().ui.hasTag('behindWords') && !(await ownTurn())) {
      // The draft stays: another job's planner has not received it.
      unstored = null;
      core.patch({job: null});
      core.send({type: 'job.stopped', isPaused: true});
      return;
    }
    const end = await ports.start(steps).catch((error: unknown) => ({error}));
    left = 'left' in end ? end.left : [];
    unstored = null;
    core.patch({job: null, decisions: new Map(), planning: null});
    if (steps.some(({type}) => type === 'plan')) readPlanDrafts();
    closePrompt();
    core.send({type: 'job.stopped', isPaused: 'summary' in end && end.summary.standing === 'paused'});
    if ('error' in end) {
      core.dialogs.ask({type: 'message', ...messageLines(end.error)});
      return;
    }
    core.onJobEnd(end.summary, told);
  };

  return {
    live,
    now: ports.now,
    follow: (isOn: boolean) => {
      isFollowing = isOn;
    },
    listen: () => {
      const stops = [ports.engine.subscribe(onFact), ports.onOutput(live.addOutput)];
      readPlanDrafts();
      return () => {
        for (const stop of stops) stop();
      };
    },
    start,
    takeTurn: (isBegun) => takeTurn(isBegun),
    keepUntilStored: (draft: OpenDraft) => {
      unstored = draft;
    },
    startAnswered: (...steps: readonly JobStep[]): void => void start(...steps, ...left),
  };
}

/** These belong to the job that asks. */
const jobDialogs: ReadonlySet<Dialog['type']> = new Set([
  ...(['checkpoint', 'planWork', 'planQuestions', 'planReview'] as const),
  ...(['planRevise', 'planFields', 'planField'] as const),
]);

/** A dialog once the job is over: null if it was the job's question; a message loses the question after it. */
function withoutJob(dialog: Dialog): Dialog | null {
  if (jobDialogs.has(dialog.type)) return null;
  if (dialog.type !== 'message' || dialog.next === undefined) return dialog;
  const {next, ...message} = dialog;
  const left = withoutJob(next);
  if (left === next) return dialog;
  return left === null ? message : {...message, next: left};
}
