import type {ReviewVerdict} from '../machines/actors/settle-review.actor.ts';
import type {EngineFact} from '../machines/engine.ts';
import type {DecisionRequest} from '../machines/review-gate.machine.ts';
import type {RunRecord} from '../services/contracts/run.ts';
import {createLiveLog} from './live-log.ts';
import {select, showTab} from './model/browse.ts';
import {messageLines} from './model/error-lines.ts';
import type {Notice} from './model/facts.ts';
import {type NewsLine, newsLine, type Pulse} from './model/run-news.ts';
import type {JobRequest, ProjectData, TuiPorts} from './ports.ts';
import type {TuiCore} from './tui.ts';

/** So much of a line of raw output is kept; a screen shows less. */
const rawLineLimit = 2_000;

/** Jobs from the person's key to their end, and what is heard of them meanwhile. */
export function createJobs(core: TuiCore, ports: TuiPorts) {
  const news = createLiveLog<NewsLine>();
  const raw = createLiveLog<string>();
  const pulse: Pulse = {startedAt: 0, lastNewsAt: 0, usage: null};
  let rest = '';
  let heard = '';
  /** Whoever starts a job watches it, until they look elsewhere. */
  let isWatched = false;

  const takeRun = (run: RunRecord) => {
    const {data, job} = core.get();
    if (job?.review && job.runId === run.run_id) core.patch({job: {...job, review: run}});
    if (data) core.patch({data: withRun(data, run)});
  };

  const onFact = (fact: EngineFact) => {
    switch (fact.type) {
      case 'agent.news': {
        pulse.lastNewsAt = ports.now();
        if (fact.news.type === 'usage') pulse.usage = fact.news.usage;
        const line = newsLine(fact.news, pulse.lastNewsAt);
        if (line) news.push(line);
        return;
      }
      case 'task.started':
      case 'review.started': {
        const {task, run} = fact.prepared;
        beginRun(run);
        const {job, browse} = core.get();
        const review = fact.type === 'review.started' ? run : null;
        if (job) core.patch({job: {...job, taskId: task.id, runId: run.run_id, review}});
        takeRun(run);
        if (isWatched) core.patch({browse: showTab(select(browse, task.id), 'run')});
        return;
      }
      case 'review.settled':
        core.say(verdictNotice(fact.verdict));
        return;
      case 'run.updated':
      case 'run.recovered':
      case 'task.settled':
        takeRun(fact.run);
        return;
      case 'decision.required':
        askDecision(fact.request);
        return;
      case 'engine.warning':
        core.say({tone: 'warning', text: fact.message});
        return;
      case 'engine.pausing':
        return;
    }
  };

  /** The engine waits. What it refused is read first, then it is asked again. */
  const askDecision = (request: DecisionRequest) => {
    const taskId = request.task.id;
    core.asked.add(`${request.run.run_id} decision`);
    core.patch({decision: request, browse: select(core.get().browse, taskId)});
    if (core.facts().screen !== 'plan') core.send({type: 'screen.plan'});
    const dialog = {type: 'checkpoint', taskId} as const;
    if (request.refusal === undefined) {
      ports.notify(`${taskId} waits for your decision`);
      core.dialogs.ask(dialog);
      return;
    }
    core.dialogs.ask({type: 'message', ...messageLines(request.refusal), next: dialog});
  };

  /** The job is over: nobody waits for an answer to what it asked. */
  const closePrompt = () => {
    core.dialogs.forget('checkpoint');
    if (core.get().ui.context.dialog?.type === 'checkpoint') core.send({type: 'dialog.close'});
  };

  const beginRun = (run: RunRecord) => {
    news.clear();
    raw.clear();
    rest = '';
    heard = run.run_id;
    Object.assign(pulse, {startedAt: ports.now(), lastNewsAt: ports.now(), usage: run.usage ?? null});
  };

  const onOutput = (text: string) => {
    const lines = (rest + text).split('\n');
    rest = (lines.pop() ?? '').slice(-rawLineLimit);
    for (const line of lines) raw.push(line.slice(0, rawLineLimit));
  };

  return {
    news,
    raw,
    pulse,
    now: ports.now,
    /** The run whose words are in `news` and `raw`. */
    heardRunId: () => heard,
    look: (isWatching: boolean) => {
      isWatched = isWatching;
    },
    listen: () => {
      const stops = [ports.engine.subscribe(onFact), ports.onOutput(onOutput)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    start: async (request: JobRequest): Promise<void> => {
      isWatched = true;
      const taskId = 'taskId' in request ? request.taskId : null;
      core.patch({
        job: {request, taskId, runId: null, review: null, isStopping: false},
        notice: null,
        past: null,
      });
      core.send({type: 'job.began'});
      const end = await ports.start(request).catch((error: unknown) => ({error}));
      core.patch({job: null, decision: null});
      closePrompt();
      core.send({type: 'job.stopped', isPaused: 'isPaused' in end && end.isPaused});
      if ('error' in end) {
        core.dialogs.ask({type: 'message', ...messageLines(end.error)});
        return;
      }
      core.onJobEnd(end);
    },
  };
}

function verdictNotice(verdict: ReviewVerdict): Notice {
  const parent = verdict.run.task_id;
  switch (verdict.type) {
    case 'passed':
      return {tone: 'good', text: `the review of ${parent} passed`};
    case 'sentBack':
      return {tone: 'warning', text: `the review of ${parent} sends tasks back`};
    case 'broken':
      return {tone: 'bad', text: `the review of ${parent} came to nothing; the next execute tries again`};
  }
}

/** What was heard of a run, put where the next look at the disk will find it too. */
function withRun(data: ProjectData, run: RunRecord): ProjectData {
  const view = {...run, stdout: '', stderr: ''};
  return run.run_type === 'execute'
    ? {...data, runs: new Map(data.runs).set(run.task_id, view)}
    : {...data, reviews: new Map(data.reviews).set(run.task_id, view)};
}

export type Jobs = ReturnType<typeof createJobs>;
