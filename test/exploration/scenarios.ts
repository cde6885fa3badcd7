import {family, planOf, task} from '../helpers/plans.ts';
import type {Bounds, Scenario} from './scene.ts';

/** One surprise of each kind, and two commands. */
const least: Bounds = {
  commands: 2,
  attempts: 2,
  segments: 2,
  agents: 2,
  pauses: 1,
  stops: 0,
  overtakes: 0,
  crashes: 1,
  edits: 0,
  failures: 0,
  words: 1,
  rivals: 0,
};

const oneTask = planOf(task('a'));
const twoTasks = planOf(task('a'), task('b'));
const chain = planOf(task('a'), task('b', {deps: ['a']}));

/** What agents do besides succeeding, in scenarios about something else. */
const plainActs = ['fails'];

/** What `npm test` explores: each is small, and explored completely. */
export const scenarios = {
  oneTask: {
    name: 'one task, pauses and crashes',
    plan: oneTask,
    acts: ['asks', 'fails', 'has lost its session', 'opens a strange session'],
    commands: ['resume', 'answer', 'sendBack', 'restart', 'retry'],
    bounds: least,
  },
  checkpoint: {
    name: 'checkpoint, somebody is there',
    plan: twoTasks,
    isReviewed: true,
    isAttended: true,
    acts: ['has lost its session'],
    commands: ['resume', 'restart', 'review', 'withdraw'],
    bounds: {...least, commands: 1, agents: 3},
  },
  leftOpen: {
    name: 'checkpoint, nobody is there',
    plan: oneTask,
    isReviewed: true,
    acts: [],
    commands: ['review', 'sendBack', 'withdraw'],
    bounds: {...least, pauses: 0},
  },
  parentReview: {
    name: 'parent review',
    plan: planOf(family(task('p'), task('a'))),
    acts: ['sends a task back', 'answers nonsense'],
    commands: ['resume', 'restart'],
    bounds: {...least, pauses: 0, agents: 3},
  },
  limits: {
    name: 'limit and outage',
    plan: twoTasks,
    isPatient: true,
    acts: ['hits a limit', 'meets an outage', 'needs a login'],
    commands: ['resume'],
    bounds: {...least, commands: 1, crashes: 0, agents: 2},
  },
  checks: {
    name: 'checks',
    plan: oneTask,
    settings: {verify: ['lint', 'test'], verifyRounds: 1},
    tree: 'tree',
    acts: [],
    commands: ['resume', 'restart'],
    bounds: {...least, commands: 1},
  },
  undo: {
    name: 'commit and undo',
    plan: chain,
    settings: {commit: 'task'},
    tree: 'tree',
    acts: [],
    commands: ['undo', 'restart'],
    bounds: {...least, pauses: 0},
  },
  fullDisk: {
    name: 'a full disk',
    plan: oneTask,
    tree: 'tree',
    isReviewed: true,
    isAttended: true,
    acts: ['asks'],
    commands: ['resume', 'answer', 'review'],
    bounds: {...least, commands: 1, pauses: 1, crashes: 0, failures: 1},
  },
  edits: {
    name: 'edits, rivals and a wish to stop',
    plan: chain,
    acts: [],
    commands: ['setStatus', 'resume'],
    bounds: {...least, commands: 1, pauses: 0, crashes: 0, edits: 1, rivals: 1, stops: 1},
  },
  retries: {
    name: 'retries, chosen sessions, agents that act while Blackbird writes',
    plan: oneTask,
    settings: {retries: 1},
    choosesSession: true,
    acts: ['fails', 'dies without a word', 'says its result and lives on'],
    commands: ['resume'],
    bounds: {...least, commands: 1, overtakes: 1},
  },
} as const satisfies Record<string, Scenario>;

const one = {...least, commands: 1};
const calm = {...one, pauses: 0};

/** One command each, with everything that can happen in it, and the way to the end from every project it leaves. */
export const shortScenarios: readonly Scenario[] = [
  {...scenarios.oneTask, acts: ['asks'], bounds: one},
  {...scenarios.checkpoint, plan: oneTask, acts: [], bounds: {...calm, crashes: 0}},
  {...scenarios.leftOpen, bounds: calm},
  {...scenarios.parentReview, bounds: {...calm, crashes: 0}},
  {...scenarios.checks, settings: {verify: ['test'], verifyRounds: 0}, bounds: {...calm, crashes: 0}},
  {...scenarios.undo, plan: oneTask, bounds: {...calm, crashes: 0}},
  {...scenarios.undo, name: 'undo', plan: oneTask, lead: [['execute']], commands: ['undo'], bounds: calm},
  {...scenarios.fullDisk, isReviewed: false, acts: [], bounds: {...calm, crashes: 0, failures: 1}},
  {...scenarios.edits, plan: oneTask, bounds: {...calm, crashes: 0, edits: 1, rivals: 1}},
];

const wider: Bounds = {...least, pauses: 2, overtakes: 1};

/** The long form: the same projects with wider bounds. */
export const longScenarios: readonly Scenario[] = [
  {name: 'one task', plan: oneTask, bounds: wider},
  {
    ...scenarios.checkpoint,
    acts: ['fails', 'asks', 'has lost its session'],
    bounds: {...least, pauses: 2, agents: 3},
  },
  {...scenarios.leftOpen, acts: plainActs, bounds: {...wider, commands: 3}},
  {...scenarios.parentReview, acts: [...scenarios.parentReview.acts, 'fails'], bounds: {...least, agents: 3}},
  {...scenarios.limits, bounds: {...least, agents: 3, segments: 3}},
  {...scenarios.checks, acts: plainActs, bounds: {...least, pauses: 2}},
  {...scenarios.undo, acts: plainActs, bounds: least},
  {...scenarios.fullDisk, bounds: {...least, failures: 1}},
  {...scenarios.edits, acts: ['asks'], bounds: {...least, edits: 1, rivals: 1, stops: 1}},
  {...scenarios.retries, bounds: {...wider, commands: 2}},
];
