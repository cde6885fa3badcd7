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

/** Only what agents and users do. */
const quiet: Bounds = {...least, pauses: 0, crashes: 0};
const quietOnce: Bounds = {...quiet, commands: 1};

const named = (scenario: Scenario, what: string, changes: Partial<Scenario>): Scenario => ({
  ...scenario,
  ...changes,
  name: `${scenario.name}: ${what}`,
});

const task1: Scenario = {name: 'one task', plan: oneTask, bounds: quiet};
const attended: Scenario = {...scenarios.checkpoint, name: 'checkpoint', plan: oneTask};
const open: Scenario = {...scenarios.leftOpen, name: 'open checkpoint'};
const family1: Scenario = {...scenarios.parentReview, name: 'parent review'};
const limited: Scenario = {...scenarios.limits, name: 'limits', plan: oneTask};
const checked: Scenario = {...scenarios.checks, name: 'checks'};
const undone: Scenario = {...scenarios.undo, name: 'undo'};
const retried: Scenario = {...scenarios.retries, name: 'retries'};
const oneCheck = {verify: ['test'], verifyRounds: 1};
const edited: Scenario = {name: 'edits', plan: oneTask, acts: [], bounds: quiet};

/** The next command finds a run that was paused in its session. */
const paused: Scenario['lead'] = [['execute', 'agent a-1 opens its session', 'agent a-1 works', 'pause']];
const lostSessions = ['has lost its session', 'opens a strange session', 'fails'];
const sessionCommands = ['resume', 'restart', 'sendBack'];

/** Every command after each act of an agent. */
const afterActs = [
  ...['succeeds', 'asks', 'fails', 'hits a limit', 'meets an outage', 'needs a login', 'dies without a word'],
  'says its result and lives on',
].flatMap((act): Scenario[] => {
  const left = {...task1, lead: [['execute', `agent a-1 ${act}`]] as const};
  return [
    named(left, `it ${act}; commands, acts`, {bounds: quietOnce}),
    named(left, `it ${act}; commands, a pause`, {acts: [act], bounds: {...quietOnce, pauses: 1}}),
    named(left, `it ${act}; commands, a crash`, {acts: [act], bounds: {...quietOnce, crashes: 1}}),
  ];
});

/**
 * The long form. Everything at once would take forever, so each scenario combines two or three things, and together
 * they cover the pairs: each act of an agent, each end of a check and each command with a pause, a crash, a stop, a full
 * disk, an edit and a rival.
 */
export const longScenarios: readonly Scenario[] = [
  named(task1, 'acts, two pauses', {bounds: {...quietOnce, pauses: 2}}),
  named(task1, 'acts while Blackbird writes, a pause', {bounds: {...quietOnce, overtakes: 1, pauses: 1}}),
  named(task1, 'acts, a pause, a crash', {bounds: {...quietOnce, pauses: 1, crashes: 1}}),
  named(task1, 'acts, a full disk', {bounds: {...quietOnce, failures: 1}}),
  named(task1, 'acts, an edit', {bounds: {...quietOnce, edits: 1}}),
  named(task1, 'acts, a rival', {bounds: {...quietOnce, rivals: 1}}),
  named(task1, 'acts, a stop', {plan: twoTasks, bounds: {...quietOnce, stops: 1, agents: 1}}),
  ...afterActs,
  named(task1, 'commands, a full disk', {acts: [], bounds: {...quiet, failures: 1}}),
  named(task1, 'a question, a full disk', {
    lead: [['execute', 'agent a-1 asks']],
    acts: ['asks'],
    bounds: {...quietOnce, failures: 1},
  }),
  named(task1, 'commands, an edit', {
    lead: [['execute', 'agent a-1 asks']],
    acts: ['asks'],
    bounds: {...quietOnce, edits: 1},
  }),
  named(task1, 'sessions, a pause, a crash', {
    lead: paused,
    acts: lostSessions,
    commands: sessionCommands,
    bounds: {...quietOnce, pauses: 1, crashes: 1},
  }),
  named(task1, 'sessions, a pause, a full disk', {
    lead: paused,
    acts: lostSessions,
    commands: sessionCommands,
    bounds: {...quietOnce, pauses: 1, failures: 1},
  }),
  named(task1, 'two crashes', {
    acts: [],
    commands: ['resume', 'restart'],
    bounds: {...quiet, crashes: 2},
  }),
  named(task1, 'a rival, a crash', {
    acts: [],
    commands: [],
    bounds: {...quietOnce, rivals: 1, crashes: 1},
  }),
  named(task1, 'a stop, a pause', {
    plan: twoTasks,
    acts: [],
    commands: [],
    bounds: {...quietOnce, stops: 1, pauses: 1, agents: 1},
  }),
  named(task1, 'a stop, a crash', {
    plan: chain,
    acts: [],
    commands: [],
    bounds: {...quietOnce, stops: 1, crashes: 1},
  }),
  named(attended, 'a pause', {acts: [], bounds: {...quietOnce, pauses: 1}}),
  named(attended, 'a crash', {acts: [], bounds: {...quietOnce, crashes: 1}}),
  named(attended, 'a stop', {plan: twoTasks, acts: [], bounds: {...quietOnce, stops: 1}}),
  named(attended, 'a full disk', {acts: [], bounds: {...quietOnce, failures: 1}}),
  named(attended, 'an edit', {acts: [], bounds: {...quietOnce, edits: 1}}),
  named(open, 'a pause, a crash', {acts: [], bounds: {...least, commands: 2}}),
  named(open, 'three commands', {acts: [], bounds: {...quiet, commands: 3}}),
  named(open, 'a full disk', {bounds: {...quiet, failures: 1}}),
  named(open, 'an edit', {
    lead: [['execute']],
    bounds: {...quietOnce, edits: 1},
  }),
  named(family1, 'a pause', {bounds: {...quietOnce, pauses: 1, agents: 3}}),
  named(family1, 'a crash', {bounds: {...quietOnce, crashes: 1, agents: 3}}),
  named(family1, 'every act', {
    acts: ['sends a task back', 'answers nonsense', 'fails', 'hits a limit', 'dies without a word'],
    bounds: {...quietOnce, agents: 3},
  }),
  named(family1, 'commands', {
    acts: ['sends a task back'],
    lead: [['execute', 'agent p-1 sends a task back']],
    bounds: {...quietOnce, agents: 3},
  }),
  named(family1, 'commands, a crash', {
    acts: ['sends a task back'],
    lead: [['execute', 'agent p-1 sends a task back']],
    bounds: {...quietOnce, crashes: 1, agents: 3},
  }),
  named(family1, 'a full disk', {
    acts: ['sends a task back'],
    bounds: {...quietOnce, failures: 1, agents: 3},
  }),
  named(family1, 'an edit', {acts: ['sends a task back'], bounds: {...quietOnce, edits: 1}}),
  named(family1, 'a stop', {acts: ['sends a task back'], bounds: {...quietOnce, stops: 1}}),
  named(limited, 'a pause', {acts: ['hits a limit'], bounds: {...quietOnce, pauses: 1}}),
  named(limited, 'an outage, a pause', {acts: ['meets an outage'], bounds: {...quietOnce, pauses: 1}}),
  named(limited, 'a crash', {acts: ['hits a limit'], bounds: {...quietOnce, crashes: 1}}),
  named(limited, 'a stop', {acts: ['hits a limit'], bounds: {...quietOnce, stops: 1}}),
  named(limited, 'a full disk', {acts: ['hits a limit'], bounds: {...quietOnce, failures: 1}}),
  named(checked, 'two pauses', {settings: oneCheck, bounds: {...quietOnce, pauses: 2}}),
  named(checked, 'two checks', {bounds: quietOnce}),
  named(checked, 'a crash', {settings: oneCheck, bounds: {...quietOnce, crashes: 1}}),
  named(checked, 'commands', {
    settings: {verify: ['test'], verifyRounds: 0},
    lead: [['execute', 'check "test" fails']],
    bounds: quietOnce,
  }),
  named(checked, 'a full disk', {settings: oneCheck, bounds: {...quietOnce, failures: 1}}),
  named(checked, 'a stop', {settings: oneCheck, bounds: {...quietOnce, stops: 1}}),
  named(checked, 'an edit', {settings: oneCheck, bounds: {...quietOnce, edits: 1}}),
  named(checked, 'a checkpoint and a commit', {
    isReviewed: true,
    isAttended: true,
    settings: {verify: ['test'], verifyRounds: 0, commit: 'task'},
    bounds: quietOnce,
  }),
  named(undone, 'a crash', {
    plan: oneTask,
    lead: [['execute']],
    bounds: {...quietOnce, crashes: 1},
  }),
  named(undone, 'a crash, then again', {
    plan: oneTask,
    lead: [['execute']],
    commands: ['undo'],
    bounds: {...quiet, crashes: 1},
  }),
  named(undone, 'a chain, a pause', {lead: [['execute']], bounds: {...quietOnce, pauses: 1}}),
  named(undone, 'a full disk', {
    plan: oneTask,
    lead: [['execute']],
    bounds: {...quietOnce, failures: 1},
  }),
  named(undone, 'an edit', {plan: oneTask, lead: [['execute']], bounds: {...quietOnce, edits: 1}}),
  named(edited, 'a crash', {bounds: {...quietOnce, edits: 1, crashes: 1}}),
  named(edited, 'a pause', {bounds: {...quietOnce, edits: 1, pauses: 1}}),
  named(retried, 'a pause', {bounds: {...quietOnce, pauses: 1}}),
  named(retried, 'a crash', {bounds: {...quietOnce, crashes: 1}}),
  named(retried, 'while Blackbird writes', {bounds: {...quietOnce, overtakes: 1}}),
  named(retried, 'a full disk', {bounds: {...quietOnce, failures: 1}}),
  named(retried, 'a stop', {bounds: {...quietOnce, stops: 1}}),
];
