import {createHash, randomBytes, randomUUID} from 'node:crypto';
import {open} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {createRunComments, type RunComments} from '../../machines/actors/run-comments.ts';
import {proposeUndo} from '../../machines/actors/undo.actor.ts';
import {withdrawApproval} from '../../machines/actors/withdraw-approval.ts';
import {createEngine, type Engine} from '../../machines/engine.ts';
import {createJournal} from '../../machines/journal.ts';
import type {EntryListener, Observer} from '../../machines/observe.ts';
import {reviewRules} from '../../machines/policies/review/review-summary.ts';
import type {UndoProposal, UndoRequest} from '../../machines/policies/run/undo.ts';
import {type AgentRunnerOptions, createAgentRunner} from '../../services/agents/agent-runner.ts';
import {createCheckRunner} from '../../services/agents/check-runner.ts';
import {createProbeCache} from '../../services/agents/probe-cache.ts';
import {isSessionRef} from '../../services/agents/run-provider.ts';
import {createAgentSpawner} from '../../services/agents/spawn-agent.ts';
import type {ChangeTracker} from '../../services/contracts/changes.ts';
import type {SettingKey, SettingValue} from '../../services/contracts/config.ts';
import type {DraftStore} from '../../services/contracts/draft.ts';
import type {RunRecord, RunStore} from '../../services/contracts/run.ts';
import type {Services} from '../../services/contracts/services.ts';
import {createLazyChangeTracker} from '../../services/git/lazy-change-tracker.ts';
import {createSurroundingsReader} from '../../services/git/surroundings.ts';
import {createJournalFiles} from '../../services/journal/journal-files.ts';
import {accountOf} from '../../services/limits/accounts.ts';
import {createLimitStore} from '../../services/limits/limit-store.ts';
import {createProjectLock} from '../../services/lock/project-lock.ts';
import {createCommentStore} from '../../services/stores/comment-store.ts';
import {createDecisionInbox} from '../../services/stores/decision-inbox.ts';
import {createDraftStore} from '../../services/stores/draft-store.ts';
import {createFeedbackStore} from '../../services/stores/feedback-store.ts';
import {createJobStore} from '../../services/stores/job-store.ts';
import {createPlanDraftStore} from '../../services/stores/plan-draft-store.ts';
import {ensureStateFolder} from '../../services/stores/project-folder.ts';
import {createRequestBox} from '../../services/stores/request-box.ts';
import {createRunStore} from '../../services/stores/run-store.ts';
import {taskFolderName} from '../../services/stores/task-folder.ts';
import {createHookRunner} from '../../services/system/hook-runner.ts';
import {createKeepAwake} from '../../services/system/keep-awake.ts';
import {identifyProcess, livenessOf} from '../../services/system/process-identity.ts';
import {createProjectFacts} from '../../services/system/project-facts.ts';
import type {Project} from '../composition.ts';
import {version} from '../version.ts';
import {chooseAgent} from './choose-agent.ts';
import {lastSignOfLife} from './last-sign-of-life.ts';

export type OpenEngineOptions = {
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly now: () => string;
  readonly onOutput?: AgentRunnerOptions['onOutput'];
  readonly onLine?: AgentRunnerOptions['onLine'];
  readonly onPrompt?: (prompt: string) => void;
  /** Receives every event a machine takes; must be fast, and may throw. */
  readonly observe?: EntryListener;
};

/** The other half of `composition.ts`: what runs agents. Loaded only by commands that do. */
export type OpenedEngine = {
  readonly engine: Engine;
  readonly runs: RunStore;
  readonly changes: ChangeTracker;
  readonly drafts: DraftStore;
  /** A preview of an undo; changes nothing. */
  readonly proposeUndo: (request: UndoRequest) => Promise<UndoProposal>;
  readonly comments: RunComments;
  readonly withdrawApproval: (taskId: string) => Promise<RunRecord>;
  /** For machines that run beside the engine, so that they are observed with it. */
  readonly inspect: Observer['inspect'];
};

export async function openEngine({
  project,
  env,
  now,
  onOutput,
  onLine,
  onPrompt,
  observe,
}: OpenEngineOptions): Promise<OpenedEngine> {
  const {folder, plans, config, userConfigFile, watchSettings, trail} = project;
  const runs = createRunStore({folder: folder.runsFolder});
  const drafts = createDraftStore({
    folder: folder.draftsFolder,
    // A draft may be the first thing that is written.
    prepare: () => ensureStateFolder(folder),
    trail,
  });
  const facts = await createProjectFacts(folder.root);
  const spawner = createAgentSpawner();
  const agents = createAgentRunner({
    spawner,
    runs,
    cwd: facts.root,
    env,
    cache: createProbeCache(folder.agentCacheFile),
    ...(onOutput ? {onOutput} : {}),
    ...(onLine ? {onLine} : {}),
    ...(onPrompt ? {onPrompt} : {}),
  });
  const changes = createLazyChangeTracker({project: folder, env, rules: reviewRules});
  const sink = createJournalFiles({
    fileOf: (taskId, runId) => runs.files(taskId, runId).journal,
    version,
    now,
    onFailure: (reason) => engine.warn(`the journal of this run could not be written: ${reason}`),
  });
  const {inspect} = createJournal({sink, now, ...(observe ? {observe} : {})});
  const services: Services = {
    plans,
    runs,
    feedback: createFeedbackStore({folder: folder.feedbackFolder}),
    drafts,
    planDrafts: createPlanDraftStore({folder: folder.planDraftsFolder, trail}),
    comments: createCommentStore({folder: folder.runsFolder, trail}),
    inbox: createDecisionInbox({folder: folder.runsFolder, livenessOf}),
    jobs: createJobStore({folder: folder.jobsFolder}),
    requests: createRequestBox({folder: folder.requestsFolder}),
    limits: createLimitStore({
      file: path.join(path.dirname(userConfigFile), 'limits.json'),
      accountOf: (provider) => accountOf(provider, env),
      onWarning: (message) => engine.warn(message),
    }),
    agents,
    checks: createCheckRunner({
      spawner,
      runs,
      cwd: facts.root,
      ...(onOutput && {onOutput: (text, runId) => onOutput('stdout', text, runId)}),
    }),
    changes,
    surroundings: createSurroundingsReader({
      root: folder.root,
      stateFolder: folder.stateFolder,
      trail,
      settings: {
        '.blackbird/config.json': folder.configFile,
        '.blackbird/agent.json': folder.agentFile,
        '~/.blackbird/config.json': userConfigFile,
        '.blackbird/.gitignore': path.join(folder.stateFolder, '.gitignore'),
        '.blackbird/snapshot.md': path.join(folder.stateFolder, 'snapshot.md'),
      },
      env,
    }),
    project: facts,
    settings: config.layers,
    // A value an agent put there may be invalid; it is removed all the same.
    writeSetting: (key, value, seen) =>
      config.write('project', key as SettingKey, value as SettingValue | undefined, seen),
    watchSettings,
    chooseAgent: (named) => chooseAgent({folder, env, agent: named}),
    lock: createProjectLock(folder),
    hooks: createHookRunner({cwd: facts.root, env}),
    keepAwake: createKeepAwake(env),
    isSessionRef,
    hadTimeToStore: (run) => hadTimeToStore(runs, run),
    lastSignOfLife: (run) => lastSignOfLife(runs, run),
    host: os.hostname(),
    self: identifyProcess(process.pid),
    livenessOf,
    now,
    monotonicNow: () => performance.now(),
    chance: Math.random,
    newUuid: randomUUID,
    newRunId: (taskId, attempt) =>
      `${taskFolderName(taskId).replace('~', '-')}-${attempt}-${randomBytes(3).toString('hex')}`,
    newJobSuffix: () => randomBytes(3).toString('hex'),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
  const engine = createEngine(services, {inspect});
  return {
    engine,
    runs,
    changes,
    drafts,
    comments: createRunComments(services),
    withdrawApproval: (taskId) => withdrawApproval(services, taskId),
    inspect,
    proposeUndo: (request) => proposeUndo(services, request),
  };
}

/**
 * If Blackbird dies, the guardian interrupts its agent, which stores its session on the way out. If the
 * machine or container went down, the session was stored once the agent had printed anything more.
 */
async function hadTimeToStore(runs: RunStore, run: RunRecord): Promise<boolean> {
  const [here, there] = [identifyProcess(process.pid), run.segments.at(-1)];
  const isSameMachine = here?.bootId === there?.boot_id && here?.pidNamespace === there?.pid_namespace;
  return isSameMachine || hasOutputAfterSession(runs, run);
}

async function hasOutputAfterSession(runs: RunStore, run: RunRecord): Promise<boolean> {
  const {stdout} = runs.files(run.task_id, run.run_id);
  const handle = await open(stdout, 'r').catch(() => null);
  if (handle === null) return false;
  try {
    const buffer = Buffer.alloc(256 * 1024);
    const {bytesRead} = await handle.read(buffer, 0, buffer.length, 0);
    const text = buffer.toString('utf8', 0, bytesRead);
    const behind = text.slice(text.indexOf(run.provider_session_ref)).split('\n').slice(1);
    return behind.some((line) => line.trim() !== '');
  } finally {
    await handle.close();
  }
}
