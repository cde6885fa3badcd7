import type {EngineFact} from '../machines/engine.ts';
import {createLiveLog} from './live-log.ts';
import {select, showTab} from './model/browse.ts';
import {messageLines} from './model/error-lines.ts';
import {type NewsLine, newsLine, type Pulse} from './model/run-news.ts';
import type {JobRequest, ProjectData, RunView, TuiPorts} from './ports.ts';
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

  const takeRun = (run: RunView) => {
    const {data} = core.get();
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
      case 'task.started': {
        const {task, run} = fact.prepared;
        beginRun(run);
        const {job, browse} = core.get();
        if (job) core.patch({job: {...job, taskId: task.id, runId: run.run_id}});
        takeRun(run);
        if (isWatched) core.patch({browse: showTab(select(browse, task.id), 'run')});
        return;
      }
      case 'run.updated':
      case 'run.recovered':
      case 'task.settled':
        takeRun(fact.run);
        return;
      case 'engine.pausing':
        return;
    }
  };

  const beginRun = (run: RunView) => {
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
      const taskId = request.type === 'execute' ? null : request.taskId;
      core.patch({job: {request, taskId, runId: null, isStopping: false}, notice: null});
      core.send({type: 'job.began'});
      const end = await ports.start(request).catch((error: unknown) => ({error}));
      core.patch({job: null});
      core.send({type: 'job.stopped', isPaused: 'isPaused' in end && end.isPaused});
      if ('error' in end) {
        core.send({type: 'dialog.open', dialog: {type: 'message', ...messageLines(end.error)}});
        return;
      }
      core.onJobEnd(end);
    },
  };
}

/** What was heard of a run, put where the next look at the disk will find it too. */
function withRun(data: ProjectData, run: RunView): ProjectData {
  if (run.run_type !== 'execute') return data;
  return {...data, runs: new Map(data.runs).set(run.task_id, {...run, stdout: '', stderr: ''})};
}

export type Jobs = ReturnType<typeof createJobs>;
