import type {AgentEvent, AgentVerdict, Capabilities, Provider} from '../contracts/agent.ts';
import type {AgentSpawner, OutputStream} from '../contracts/agent-process.ts';
import type {AgentEnding, AgentRunner} from '../contracts/agent-runner.ts';
import {AppError} from '../contracts/errors.ts';
import {customCommandIn, providerTable} from '../contracts/provider-table.ts';
import type {RunRecord, RunStore} from '../contracts/run.ts';
import {agentsOnPath} from '../system/executables.ts';
import {writeCommandFiles} from './command-files.ts';
import {customProvider} from './custom-command.ts';
import {leaderOf} from './orphans.ts';
import {type ProbeCache, probeProvider} from './probe.ts';
import {findProvider} from './providers.ts';
import {rootRefusal} from './root-refusal.ts';
import {createUsageSum} from './usage-sum.ts';
import {gatherEndFacts} from './verdicts.ts';

export type AgentRunnerOptions = {
  readonly spawner: AgentSpawner;
  readonly runs: Pick<RunStore, 'files'>;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cache?: ProbeCache;
  /** Both streams as they arrive, for raw output. */
  readonly onOutput?: (stream: OutputStream, text: string, runId: string) => void;
  /** Every line an agent prints, with its events. */
  readonly onLine?: (line: string, events: readonly AgentEvent[]) => void;
  /** Shows the prompt. */
  readonly onPrompt?: (prompt: string) => void;
};

type Program = Pick<RunRecord, 'provider' | 'provider_dialect'>;

/** Starts the agents of runs: connects a provider's protocol with a process. */
export function createAgentRunner(options: AgentRunnerOptions): AgentRunner {
  const {spawner, runs, cwd, env, onOutput} = options;
  const customCommand = customCommandIn(env);

  const providerOf = ({provider, provider_dialect}: Program): Provider => {
    if (provider !== 'custom') return findProvider(provider);
    if (customCommand !== null) return customProvider(customCommand, provider_dialect ?? null);
    throw new AppError('E_AGENT_NOT_FOUND', 'no custom command is set: BLACKBIRD_AGENT_CMD is empty');
  };

  const capabilitiesOf = async (provider: Provider): Promise<Capabilities> => {
    const probe = await probeProvider(provider, {env, ...(options.cache ? {cache: options.cache} : {})});
    if (probe.installed) return probe.capabilities;
    throw agentMissing(provider, probe.reason, env);
  };

  const investigated = async (
    {investigate}: Provider,
    verdict: AgentVerdict,
    sessionRef: string | null,
  ): Promise<AgentVerdict> => {
    if (verdict.outcome !== 'failed' || !investigate || sessionRef === null) return verdict;
    return {...verdict, failure: await investigate(verdict.failure, {sessionRef, env, now: new Date()})};
  };

  return {
    customCommand,

    check: async (id, access) => {
      const provider = providerOf({provider: id});
      const {chosenSession} = await capabilitiesOf(provider);
      const variable = access === 'edit' ? rootRefusal(id, env) : null;
      if (variable !== null) throw rootRefused(provider, variable);
      return {choosesSession: chosenSession};
    },

    launch: async ({run, request, onEvent}) => {
      const provider = providerOf(run);
      const files = runs.files(run.task_id, run.run_id);
      const {model, effort} = run;
      const asked = {...request, ...(model && {model}), ...(effort && {effort})};
      const prepared = await writeCommandFiles(provider.command(asked, await capabilitiesOf(provider)));
      const {command} = prepared;
      options.onPrompt?.(command.stdin);
      const facts = gatherEndFacts();
      const summed = createUsageSum();
      let heardAt = performance.now();
      const hear = () => {
        heardAt = performance.now();
      };
      const agent = await spawner
        .spawn({
          runId: run.run_id,
          command,
          cwd,
          stdoutFile: files.stdout,
          stderrFile: files.stderr,
          timesFile: files.times,
          onLine: (line) => {
            const events = provider.parseLine(line);
            options.onLine?.(line, events);
            for (const each of events) {
              const event = summed(each);
              facts.take(event);
              onEvent(event);
            }
          },
          onOutput: (stream, text) => {
            hear();
            onOutput?.(stream, text, run.run_id);
          },
        })
        .catch(async (error: unknown) => {
          await prepared.remove();
          throw error;
        });
      const ended = agent.ended.then(async (exit): Promise<AgentEnding> => {
        await prepared.remove();
        const {exitCode, signal, stdout, stderr, logTruncated} = exit;
        // An agent that we stopped after its result may exit with any code: the signal says why.
        const sentSignal = signal ?? (facts.wasStopped ? 'SIGINT' : null);
        const judged = provider.judge({
          kind: request.kind,
          ...facts.said,
          exitCode,
          signal: sentSignal,
          stderrTail: stderr,
          stdoutTail: stdout,
        });
        const verdict = await investigated(provider, judged, facts.sessionRef);
        const log = logTruncated ? {isLogTruncated: true} : {};
        return {exitCode, signal, stdout, stderr, ...log, verdict, ...facts.usage};
      });
      return {
        ...agent,
        ended,
        go: () => {
          hear();
          agent.go();
        },
        wake: () => {
          hear();
          agent.wake();
        },
        silentFor: () => performance.now() - heardAt,
        interrupt: () => {
          facts.stop();
          agent.interrupt();
        },
        kill: () => {
          facts.stop();
          agent.kill();
        },
      };
    },

    sweep: (run) => spawner.sweepRun(run.run_id, leaderOf(run)),
  };
}

/** Every task would fail the same way, so none is started. */
const rootRefused = ({id, title}: Provider, variable: string): AppError =>
  new AppError('E_PROVIDER_REFUSED', `${title} refuses to edit files for root; nothing was started`, {
    details: [['provider', id]],
    next: [
      {command: `export ${variable}=1`, why: 'in a container; elsewhere, work as another user'},
      {command: 'blackbird agents', why: 'see what is installed'},
    ],
  });

/** Suggests only this agent, because no other has the sessions of its runs. */
function agentMissing(
  {id, title, executable}: Provider,
  reason: string,
  {PATH = ''}: AgentRunnerOptions['env'],
): AppError {
  const install = id === 'custom' ? null : providerTable[id].install;
  const others =
    id !== 'custom' && reason.endsWith('on the PATH') && agentsOnPath(PATH).length === 0
      ? ', nor is any other agent'
      : '';
  return new AppError('E_AGENT_NOT_FOUND', `the agent ${title} cannot be used: ${reason}${others}`, {
    details: [['provider', id]],
    next: [
      ...(install === null ? [] : [{command: install, why: `or put ${executable} on your PATH`}]),
      {command: 'blackbird agents', why: 'see what is installed'},
    ],
  });
}
