import {createHash} from 'node:crypto';
import type {ChangeTracker} from '../contracts/changes.ts';
import type {ConfigLayer} from '../contracts/config.ts';
import {AppError} from '../contracts/errors.ts';
import type {Plan} from '../contracts/plan.ts';
import type {ProviderChoice} from '../contracts/project.ts';
import type {RunRecord} from '../contracts/run.ts';
import type {Services} from '../contracts/services.ts';
import type {PlanRules} from '../contracts/stores.ts';
import {
  createMemoryComments,
  createMemoryDrafts,
  createMemoryFeedback,
  createMemoryJobs,
  createMemoryLimits,
  createMemoryPlanDrafts,
  createMemoryPlans,
  createMemoryRuns,
  emptyInbox,
  emptyRequestBox,
} from './memory-stores.ts';
import {createPassingChecks, createScriptedAgents, type Script} from './scripted-agents.ts';

export type MemoryProject = {
  readonly plan: Plan;
  readonly rules: Pick<PlanRules, 'checkChange'>;
  readonly settings: readonly ConfigLayer[];
  readonly agent: ProviderChoice;
  readonly clock: {
    now(): number;
    setTimeout(ring: () => void, milliseconds: number): unknown;
    clearTimeout(timer: never): void;
  };
  readonly scriptOf: (run: RunRecord) => Script;
};

/** Everything an engine needs, without files, processes or real time. */
export function createMemoryServices(project: MemoryProject): Services {
  const {plan, rules, settings, agent, clock, scriptOf} = project;
  let count = 0;
  const number = () => String(++count).padStart(12, '0');
  return {
    plans: createMemoryPlans(plan, rules),
    runs: createMemoryRuns(),
    feedback: createMemoryFeedback(),
    drafts: createMemoryDrafts(),
    planDrafts: createMemoryPlanDrafts(),
    comments: createMemoryComments(),
    inbox: emptyInbox,
    jobs: createMemoryJobs(),
    requests: emptyRequestBox,
    limits: createMemoryLimits(),
    agents: createScriptedAgents(clock, scriptOf),
    checks: createPassingChecks(clock),
    changes: noChanges,
    surroundings: {
      standing: async () => ({isDetached: false, underWay: null, conflicts: []}),
      look: async () => ({settings: new Map(), repository: null}),
      ignoredSince: async () => ({count: 0, names: []}),
      writerOf: () => null,
      putAside: () => new Set(),
      writtenSince: async () => ({count: 0, names: []}),
    },
    project: {root: '/', isGitRepository: async () => false, snapshot: async () => null},
    settings: async () => settings,
    writeSetting: async () => {},
    watchSettings: () => () => null,
    chooseAgent: async () => agent,
    lock: {acquire: async () => {}, release: async () => {}},
    hooks: {run: async () => null, stop: () => {}},
    keepAwake: () => () => {},
    isSessionRef: () => true,
    hadTimeToStore: async () => false,
    lastSignOfLife: async () => null,
    host: 'simulated',
    self: null,
    livenessOf: () => 'dead',
    now: () => new Date(clock.now()).toISOString(),
    monotonicNow: () => clock.now(),
    chance: () => 0.5,
    newUuid: () => `00000000-0000-4000-8000-${number()}`,
    newRunId: () => `run-${number()}`,
    newJobSuffix: () => number().slice(-6),
    digest: (text) => createHash('sha256').update(text).digest('hex'),
  };
}

const nothing = async (): Promise<never> => {
  throw new AppError('E_DIFF_UNAVAILABLE', 'no files change in a simulation');
};

/** Like a folder without git. */
const noChanges: ChangeTracker = {
  snapshot: async () => null,
  compose: nothing,
  summarize: async () => ({files: [], diffstat: '', snippets: []}),
  files: nothing,
  countLines: nothing,
  diff: nothing,
  planUndo: nothing,
  applyUndo: nothing,
  commit: nothing,
};
