import {type ChildProcessWithoutNullStreams, spawn} from 'node:child_process';
import {
  type AgentExit,
  type AgentProcessSpec,
  AgentSpawnError,
  type AgentSpawner,
  type RunEnd,
  type RunningAgent,
} from '../contracts/agent-process.ts';
import {messageOf, systemErrorCode} from '../contracts/errors.ts';
import type {ProcessIdentity} from '../contracts/process.ts';
import {heldOutput} from '../output/held-output.ts';
import {createLineSplitter} from '../output/line-splitter.ts';
import {openLogFile} from '../output/log-file.ts';
import {drainOutput, readOutput} from '../output/read-output.ts';
import {createTail} from '../output/tail.ts';
import {identifyProcess, livenessOf} from '../system/process-identity.ts';
import {agentEnvironment} from './agent-environment.ts';
import {findExecutable} from './find-executable.ts';
import {createGuardian} from './guardian.ts';
import {goLine, heldBack} from './launcher.ts';
import {endRun, findRunProcesses, signalRun} from './marked-processes.ts';
import {countForks, type RunTrace} from './process-table.ts';

/** How long output may still come after the agent is gone: a child of its own may hold the pipe open. */
const drainWindow = 500;
const safeRunId = /^[A-Za-z0-9._-]+$/;

/** The one place where agents are started and stopped. One per process. */
export function createAgentSpawner(): AgentSpawner {
  const guardian = createGuardian();
  const live = new Set<RunningAgent>();

  const killAllSync = () => {
    for (const agent of live) agent.kill();
  };
  const enlist = (agent: RunningAgent) => {
    if (live.size === 0) process.on('exit', killAllSync);
    live.add(agent);
  };
  const discharge = (agent: RunningAgent) => {
    live.delete(agent);
    if (live.size === 0) process.off('exit', killAllSync);
  };

  return {
    spawn: async (spec) => {
      const launched = await launch(spec, guardian.name);
      const agent = supervise(launched, spec, () => {
        guardian.forget(launched);
        discharge(agent);
      });
      enlist(agent);
      try {
        await guardian.watch(launched);
      } catch (cause) {
        await agent.endEverything();
        throw cannotStart(spec, 'refused', `it cannot be guarded: ${messageOf(cause)}`, cause);
      }
      return agent;
    },

    sweepRun: (runId, leader) =>
      endRun({runId, leader: leader && livenessOf(leader) === 'alive' ? leader : undefined}),

    killAllSync,
  };
}

type Launched = Awaited<ReturnType<typeof launch>>;

/** Starts the launcher, which waits for its "go". Throws whatever would keep the agent from starting. */
async function launch(spec: AgentProcessSpec, guardian: string) {
  const {command, cwd, runId} = spec;
  if (!safeRunId.test(runId)) throw cannotStart(spec, 'refused', `"${runId}" is no run id`);
  const env = agentEnvironment({own: process.env, command: command.env, runId, guardian, cwd});
  const file = findExecutable(command.file, {cwd, searchPath: env.PATH ?? '/usr/bin:/bin'});

  const forksBefore = countForks();
  const subprocess = startLauncher(spec, heldBack(file, command.args, env), env);
  const {pid} = subprocess;
  if (pid === undefined) {
    throw spawnError(spec, await new Promise<Error>((resolve) => subprocess.once('error', resolve)));
  }
  // From here on it cannot fail to start; what else it reports (a signal that was refused) is known already.
  subprocess.on('error', () => {});

  const leader = identifyProcess(pid);
  if (leader === null) {
    subprocess.kill('SIGKILL');
    throw cannotStart(spec, 'refused', 'it ended before it began');
  }
  return {runId, subprocess, leader, forksBefore};
}

/** Node's own `spawn`: of what execa adds to it nothing is wanted here, and it takes as long as the spawn. */
function startLauncher(
  spec: AgentProcessSpec,
  {file, args}: ReturnType<typeof heldBack>,
  env: NodeJS.ProcessEnv,
): ChildProcessWithoutNullStreams {
  try {
    return spawn(file, args, {
      cwd: spec.cwd,
      env,
      // A session of its own: the terminal's Ctrl+C reaches us only.
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
  } catch (error) {
    throw spawnError(spec, error);
  }
}

function supervise(
  {subprocess, leader, ...launched}: Launched,
  spec: AgentProcessSpec,
  onEnded: () => void,
): RunningAgent {
  const seen = new Map<number, string>();
  const trace: RunTrace = {...launched, leader, seen};
  const {stdin, stdout, stderr} = subprocess;
  // An agent need not read its prompt, nor live until it is told to go.
  stdin.on('error', () => {});

  const lines = createLineSplitter(spec.onLine);
  const tails = {stdout: createTail(), stderr: createTail()};
  const logs = [openLogFile(spec.stdoutFile), openLogFile(spec.stderrFile)] as const;
  const textOf = (stream: 'stdout' | 'stderr') =>
    spec.onOutput && ((text: string) => spec.onOutput?.(stream, text));
  const output = readOutput(stdout, {log: logs[0], tail: tails.stdout, lines, onText: textOf('stdout')});
  const readers = [output, readOutput(stderr, {log: logs[1], tail: tails.stderr, onText: textOf('stderr')})];
  const held = heldOutput(output);

  let isRunning = true;
  let isSuspended = false;
  let hasGone = false;

  const ended = new Promise<AgentExit>((resolve) => {
    subprocess.once('exit', async (exitCode, signal) => {
      isRunning = false;
      await held.isOver();
      await drainOutput(readers, drainWindow);
      await Promise.all(readers.map((reader) => reader.close()));
      stdin.destroy();
      resolve({
        exitCode,
        signal,
        stdout: tails.stdout.text(),
        stderr: tails.stderr.text(),
        logTruncated: logs.some((log) => log.isTruncated),
        droppedLines: lines.dropped,
      });
    });
  });

  const signalGroup = (signal: NodeJS.Signals) => {
    // Once the leader was reaped, its number may belong to somebody else.
    if (isRunning) sendToGroup(leader, signal);
  };
  const wake = () => {
    isSuspended = false;
    signalRun(trace, 'SIGCONT');
    signalGroup('SIGCONT');
  };

  // Taken while the agent lives: a tool that cleared its environment and left the session loses its parent with it.
  const rememberChildren = () => {
    for (const {pid, startTime} of findRunProcesses(trace).found) seen.set(pid, startTime);
  };

  let ending: Promise<RunEnd> | undefined;
  const end = async () => {
    held.giveUp();
    if (isRunning) rememberChildren();
    signalGroup('SIGKILL');
    // Not before: an agent that finds the end of half a prompt would act on it.
    stdin.destroy();
    const result = await endRun(trace);
    if (result.remaining.length > 0) {
      ending = undefined;
    } else {
      await ended;
      onEnded();
    }
    return result;
  };

  return {
    identity: leader,
    argv: [spec.command.file, ...spec.command.args],
    ended,
    go: () => {
      if (hasGone || !isRunning) return;
      hasGone = true;
      stdin.end(`${goLine}${spec.command.stdin}`);
    },
    hold: held.hold,
    readOn: held.readOn,
    interrupt: () => {
      held.giveUp();
      rememberChildren();
      signalGroup('SIGINT');
      // A stopped process takes no signal but SIGKILL until it is woken.
      if (isSuspended) wake();
    },
    kill: () => {
      held.giveUp();
      rememberChildren();
      signalGroup('SIGKILL');
      signalRun(trace, 'SIGKILL');
    },
    suspend: () => {
      isSuspended = true;
      signalGroup('SIGSTOP');
      signalRun(trace, 'SIGSTOP');
    },
    wake,
    endEverything: () => {
      ending ??= end();
      return ending;
    },
  };
}

function sendToGroup({pid}: ProcessIdentity, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in the group, or nobody we may signal: the sweep deals with them one by one.
  }
}

function spawnError(spec: AgentProcessSpec, cause: unknown) {
  return systemErrorCode(cause) === 'E2BIG'
    ? cannotStart(spec, 'too_large', 'its arguments and environment are larger than the system allows', cause)
    : cannotStart(spec, 'refused', messageOf(cause), cause);
}

function cannotStart(
  {command}: AgentProcessSpec,
  reason: AgentSpawnError['reason'],
  why: string,
  cause?: unknown,
): AgentSpawnError {
  return new AgentSpawnError(reason, `Cannot start ${command.file}: ${why}.`, {cause});
}
