import {Writable} from 'node:stream';
import {execa} from 'execa';
import {
  type AgentExit,
  type AgentProcess,
  type AgentProcessSpec,
  type AgentSpawner,
  AgentSpawnError,
  type RunEnd,
} from '../contracts/agent-process.ts';
import {messageOf, systemErrorCode} from '../contracts/errors.ts';
import type {ProcessIdentity} from '../contracts/process.ts';
import {createLineSplitter} from '../output/line-splitter.ts';
import {openLogFile} from '../output/log-file.ts';
import {drainOutput, readOutput} from '../output/read-output.ts';
import {createTail} from '../output/tail.ts';
import {identifyProcess, livenessOf} from '../system/process-identity.ts';
import {agentEnvironment} from './agent-environment.ts';
import {findExecutable} from './find-executable.ts';
import {createGuardian} from './guardian.ts';
import {heldBack} from './launcher.ts';
import {countForks, endRun, type RunTrace, signalRun} from './marked-processes.ts';

/** How long output may still come after the agent is gone: a child of its own may hold the pipe open. */
const drainWindow = 500;
const safeRunId = /^[A-Za-z0-9._-]+$/;

/** The one place where agents are started and stopped. One per process. */
export function createAgentSpawner(): AgentSpawner {
  const guardian = createGuardian();
  const live = new Map<AgentProcess, RunTrace>();

  const killAllSync = () => {
    for (const [agent] of live) agent.kill();
  };
  const enlist = (agent: AgentProcess, trace: RunTrace) => {
    if (live.size === 0) process.on('exit', killAllSync);
    live.set(agent, trace);
  };
  const discharge = (agent: AgentProcess) => {
    live.delete(agent);
    if (live.size === 0) process.off('exit', killAllSync);
  };
`
