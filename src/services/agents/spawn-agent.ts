import {type ChildProcessWithoutNullStreams, spawn as startProcess} from 'node:child_process';
import {
  type AgentExit,
  type AgentProcessSpec,
  AgentSpawnError,
  type AgentSpawner,
  type RunEnd,
  type RunningAgent,
} from '../contracts/agent-process.ts';
import {messageOf, systemErrorCode} from '../contracts/errors.ts';
import {startHeartbeat} from '../output/heartbeat.ts';
import {createLineSplitter} from '../output/line-splitter.ts';
import {openLogFile} from '../output/log-file.ts';
import {drainOutput, heldOutput, readOutput} from '../output/read-output.ts';
import {createTail} from '../output/tail.ts';
import {openTimedLog} from '../output/time-marks.ts';
import {maxStarts} from '../system/group-signals.ts';
import {identifyProcess, livenessOf} from '../system/process-identity.ts';
import {agentEnvironment} from './agent-environment.ts';
import {findExecutable} from './find-executable.ts';
import {createGuardian, type Guardian} from './guardian.ts';
import {goLine, heldBack, type Launcher} from './launcher.ts';
import {endRun} from './marked-processes.ts';
import {countForks} from './process-table.ts';
import {leaderTree} from './process-tree.ts';
import {hasReaper, reaped, reapedTree} from './reaped-tree.ts';

/** How long output may still arrive after the agent is gone: one of its children may hold the pipe open. */
const drainWindow = 500;
const safeRunId = /^[A-Za-z0-9._-]+$/;

type SpawnerParts = {
  readonly isReaped: boolean;
  readonly guardian: Guardian;
  readonly start: typeof startProcess;
};

/** The only place that starts and stops agents. One per process. */
export function createAgentSpawner({
  isReaped = hasReaper(),
  guardian = createGuardian(),
  start = startProcess,
}: Partial<SpawnerParts> = {}): AgentSpawner {
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
      const launched = await launch(spec, {guardian: guardian.name, isReaped, start});
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

/** Starts the launcher, which waits for "go". Throws if the agent cannot be started. */
async function launch(
  spec: AgentProcessSpec,
  {guardian, isReaped, start}: Pick<SpawnerParts, 'isReaped' | 'start'> & {readonly guardian: string},
) {
  const {command, cwd, runId} = spec;
  if (!safeRunId.test(runId)) throw cannotStart(spec, 'refused', `"${runId}" is not a run id`);
  const env = agentEnvironment({own: process.env, command: command.env, runId, guardian, cwd});
  const file = findExecutable(command.file, {cwd, searchPath: env.PATH ?? '/usr/bin:/bin'});

  const forksBefore = isReaped ? undefined : countForks();
  const launcher = heldBack(file, command.args, env);
  const {subprocess, leader} = await startLauncher(spec, isReaped ? reaped(launcher) : launcher, start);
  const tree = (isReaped ? reapedTree : leaderTree)(subprocess, {runId, leader, forksBefore});
  return {subprocess, leader, isReaped, tree};
}

/**
 * A Ctrl+C meant for us ends a launcher that has not left our group yet. It is gone by the time we look, has done
 * nothing, and is started again: the task did not fail, it will be paused.
 */
async function startLauncher(spec: AgentProcessSpec, launcher: Launcher, start: SpawnerParts['start']) {
  for (let attempt = 1; attempt <= maxStarts; attempt++) {
    const subprocess = startOnce(spec, launcher, start);
    const {pid} = subprocess;
    if (pid === undefined) {
      throw spawnError(spec, await new Promise<Error>((resolve) => subprocess.once('error', resolve)));
    }
    // It has started; later errors (such as a refused signal) are already handled.
    subprocess.on('error', () => {});
    const leader = identifyProcess(pid);
    if (leader !== null) return {subprocess, leader};
    subprocess.kill('SIGKILL');
  }
  throw cannotStart(spec, 'refused', 'it ended before it began');
}

/** Node's own `spawn`: we need nothing that execa adds, and it would double the time. */
function startOnce(
  spec: AgentProcessSpec,
  {file, args, env, stdio}: Launcher,
  start: SpawnerParts['start'],
): ChildProcessWithoutNullStreams {
  try {
    // In its own session: the terminal's Ctrl+C reaches only us.
    return start(file, args, {cwd: spec.cwd, env, detached: true, stdio}) as ChildProcessWithoutNullStreams;
  } catch (error) {
    throw spawnError(spec, error);
  }
}

function supervise(
  {subprocess, leader, tree}: Launched,
  spec: AgentProcessSpec,
  onEnded: () => void,
): RunningAgent {
  const {stdin, stdout, stderr} = subprocess;
  // An agent need not read its prompt, and may die before "go".
  stdin.on('error', () => {});

  const lines = createLineSplitter(spec.onLine);
  const tails = {stdout: createTail(), stderr: createTail()};
  const stdoutLog = spec.timesFile
    ? openTimedLog(spec.stdoutFile, spec.timesFile)
    : openLogFile(spec.stdoutFile);
  const logs = [stdoutLog, openLogFile(spec.stderrFile)] as const;
  const textOf = (stream: 'stdout' | 'stderr') =>
    spec.onOutput && ((text: string) => spec.onOutput?.(stream, text));
  const output = readOutput(stdout, {log: logs[0], tail: tails.stdout, lines, onText: textOf('stdout')});
  const readers = [output, readOutput(stderr, {log: logs[1], tail: tails.stderr, onText: textOf('stderr')})];
  const held = heldOutput(output);
  const stopHeartbeat = spec.timesFile ? startHeartbeat(spec.timesFile) : () => {};

  let isRunning = true;
  let isSuspended = false;

  const ended = tree.exited.then(async ({exitCode, signal}): Promise<AgentExit> => {
    isRunning = false;
    stopHeartbeat();
    await held.isOver();
    await drainOutput(readers, drainWindow);
    await Promise.all(readers.map((reader) => reader.close()));
    stdin.destroy();
    return {
      exitCode,
      signal,
      stdout: tails.stdout.text(),
      stderr: tails.stderr.text(),
      logTruncated: logs.some((log) => log.isTruncated),
      droppedLines: lines.dropped,
    };
  });

  const wake = () => {
    isSuspended = false;
    tree.wake();
  };

  let ending: Promise<RunEnd> | undefined;
  const end = async () => {
    held.giveUp();
    if (isRunning) tree.kill();
    // Not earlier: an agent that reads EOF after half a prompt would act on it.
    stdin.destroy();
    const result = await tree.end();
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
      // If called twice, or after the agent is gone, the pipe is closed.
      stdin.end(`${goLine}${spec.command.stdin}`);
    },
    hold: held.hold,
    readOn: held.readOn,
    interrupt: () => {
      held.giveUp();
      tree.interrupt();
      // A stopped process handles no signal but SIGKILL until it is continued.
      if (isSuspended) wake();
    },
    kill: () => {
      held.giveUp();
      tree.kill();
    },
    suspend: () => {
      isSuspended = true;
      tree.suspend();
    },
    wake,
    endEverything: () => {
      ending ??= end();
      return ending;
    },
  };
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
