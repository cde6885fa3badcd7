import {family, planOf, task} from '../helpers/plans.ts';
import type {Bounds, Scenario} from './simulation.ts';

/** One surprise of each kind, and two commands. */
const least: Bounds = {
  commands: 2,
  attempts: 2,
  segments: 2,
  agents: 2,
  pauses: 1,
  stops: 0,
  interleavings: 0,
  crashes: 1,
  edits: 0,
  failures: 0,
  messages: 1,
  secondInstances: 0,
};

const oneTask = planOf(task('a'));
const twoTasks = planOf(task('a'), task('b'));
const chain = planOf(task('a'), task('b', {deps: ['a']}));

/** What `npm test` explores: each is small, and explored completely. */
export const scenarios = {
  oneTask: {
    name: 'one task, pauses and crashes',
    plan: oneTask,
    behaviours: ['asks', 'fails', 'has lost its session', 'opens a wrong session'],
    commands: ['resume', 'answer', 'sendBack', 'restart', 'retry'],
    bounds: least,
  },
  checkpoint: {
    name: 'checkpoint, somebody is there',
    plan: twoTasks,
    isReviewed: true,
    isAttended: true,
    behaviours: ['has lost its session'],
    commands: ['resume', 'restart', 'review', 'withdraw'],
    bounds: {...least, commands: 1, agents: 3},
  },
  leftOpen: {
    name: 'checkpoint, nobody is there',
    plan: oneTask,
    isReviewed: true,
    behaviours: [],
    commands: ['review', 'sendBack', 'withdraw'],
    bounds: {...least, pauses: 0},
  },
  parentReview: {
    name: 'parent review',
    plan: planOf(family(task('p'), task('a'))),
    behaviours: ['sends a task back', 'gives an invalid answer'],
    commands: ['resume', 'restart'],
    bounds: {...least, pauses: 0, agents: 3},
  },
  limits: {
    name: 'limit and outage',
    plan: twoTasks,
    isPatient: true,
    behaviours: ['hits a limit', 'hits an outage', 'needs a login'],
    commands: ['resume'],
    bounds: {...least, commands: 1, crashes: 0, agents: 2},
  },
  checks: {
    name: 'checks',
    plan: oneTask,
    settings: {verify: ['lint', 'test'], verifyRounds: 1},
    tree: 'tree',
    behaviours: [],
    commands: ['resume', 'restart'],
    bounds: {...least, commands: 1},
  },
  undo: {
    name: 'commit and undo',
    plan: chain,
    settings: {commit: 'task'},
    tree: 'tree',
    behaviours: [],
    commands: ['undo', 'restart'],
    bounds: {...least, pauses: 0},
  },
  fullDisk: {
    name: 'a full disk',
    plan: oneTask,
    tree: 'tree',
    isReviewed: true,
    isAttended: true,
    behaviours: ['asks'],
    commands: ['resume', 'answer', 'review'],
    bounds: {...least, commands: 1, pauses: 1, crashes: 0, failures: 1},
  },
  edits: {
    name: 'edits, a second instance and a stop request',
    plan: chain,
    behaviours: [],
    commands: ['setStatus', 'resume'],
    bounds: {...least, commands: 1, pauses: 0, crashes: 0, edits: 1, secondInstances: 1, stops: 1},
  },
  retries: {
    name: 'retries, chosen sessions, agents that act while Blackbird writes',
    plan: oneTask,
    settings: {retries: 1},
    choosesSession: true,
    behaviours: ['fails', 'crashes without a result', 'reports its result and keeps running'],
    commands: ['resume'],
    bounds: {...least, commands: 1, interleavings: 1},
  },
} as const satisfies Record<string, Scenario>;

const one = {...least, commands: 1};
const calm = {...one, pauses: 0};

/** One command each, with everything that can happen in it, and the way to the end from every project it leaves. */
export const shortScenarios: readonly Scenario[] = [
  {...scenarios.oneTask, behaviours: ['asks'], bounds: one},
  {...scenarios.checkpoint, plan: oneTask, behaviours: [], bounds: {...calm, crashes: 0}},
  {...scenarios.leftOpen, bounds: calm},
  {...scenarios.parentReview, bounds: {...calm, crashes: 0}},
  {...scenarios.checks, settings: {verify: ['test'], verifyRounds: 0}, bounds: {...calm, crashes: 0}},
  {...scenarios.undo, plan: oneTask, bounds: {...calm, crashes: 0}},
  {...scenarios.undo, name: 'undo', plan: oneTask, setup: [['execute']], commands: ['undo'], bounds: calm},
  {...scenarios.fullDisk, isReviewed: false, behaviours: [], bounds: {...calm, crashes: 0, failures: 1}},
  {...scenarios.edits, plan: oneTask, bounds: {...calm, crashes: 0, edits: 1, secondInstances: 1}},
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
const edited: Scenario = {name: 'edits', plan: oneTask, behaviours: [], bounds: quiet};

/** The next command finds a run that was paused in its session. */
const paused: Scenario['setup'] = [['execute', 'agent a-1 opens its session', 'agent a-1 works', 'pause']];
const lostSessions = ['has lost its session', 'opens a wrong session', 'fails'];
const sessionCommands = ['resume', 'restart', 'sendBack'];

/** Every command after each behaviour of an agent. */
const afterBehaviours = [
  ...[
    'succeeds',
    'asks',
    'fails',
    'hits a limit',
    'hits an outage',
    'needs a login',
    'crashes without a result',
  ],
  'reports its result and keeps running',
].flatMap((behaviour): Scenario[] => {
  const left = {...task1, setup: [['execute', `agent a-1 ${behaviour}`]] as const};
  return [
    named(left, `it ${behaviour}; commands, behaviours`, {bounds: quietOnce}),
    named(left, `it ${behaviour}; commands, a pause`, {
      behaviours: [behaviour],
      bounds: {...quietOnce, pauses: 1},
    }),
    named(left, `it ${behaviour}; commands, a crash`, {
      behaviours: [behaviour],
      bounds: {...quietOnce, crashes: 1},
    }),
  ];
});

/**
 * The long form. Everything at once would take forever, so each scenario combines two or three things, and together
 * they cover the pairs: each behaviour of an agent, each end of a check and each command with a pause, a crash, a stop, a full
 * disk, an edit and a second instance.
 */
export const longScenarios: readonly Scenario[] = [
  named(task1, 'behaviours, two pauses', {bounds: {...quietOnce, pauses: 2}}),
  named(task1, 'behaviours while Blackbird writes, a pause', {
    bounds: {...quietOnce, interleavings: 1, pauses: 1},
  }),
  named(task1, 'behaviours, a pause, a crash', {bounds: {...quietOnce, pauses: 1, crashes: 1}}),
  named(task1, 'behaviours, a full disk', {bounds: {...quietOnce, failures: 1}}),
  named(task1, 'behaviours, an edit', {bounds: {...quietOnce, edits: 1}}),
  named(task1, 'behaviours, a second instance', {bounds: {...quietOnce, secondInstances: 1}}),
  named(task1, 'behaviours, a stop', {plan: twoTasks, bounds: {...quietOnce, stops: 1, agents: 1}}),
  ...afterBehaviours,
  named(task1, 'commands, a full disk', {behaviours: [], bounds: {...quiet, failures: 1}}),
  named(task1, 'a question, a full disk', {
    setup: [['execute', 'agent a-1 asks']],
    behaviours: ['asks'],
    bounds: {...quietOnce, failures: 1},
  }),
  named(task1, 'commands, an edit', {
    setup: [['execute', 'agent a-1 asks']],
    behaviours: ['asks'],
    bounds: {...quietOnce, edits: 1},
  }),
  named(task1, 'sessions, a pause, a crash', {
    setup: paused,
    behaviours: lostSessions,
    commands: sessionCommands,
    bounds: {...quietOnce, pauses: 1, crashes: 1},
  }),
  named(task1, 'sessions, a pause, a full disk', {
    setup: paused,
    behaviours: lostSessions,
    commands: sessionCommands,
    bounds: {...quietOnce, pauses: 1, failures: 1},
  }),
  named(task1, 'two crashes', {
    behaviours: [],
    commands: ['resume', 'restart'],
    bounds: {...quiet, crashes: 2},
  }),
  named(task1, 'a second instance, a crash', {
    behaviours: [],
    commands: [],
    bounds: {...quietOnce, secondInstances: 1, crashes: 1},
  }),
  named(task1, 'a stop, a pause', {
    plan: twoTasks,
    behaviours: [],
    commands: [],
    bounds: {...quietOnce, stops: 1, pauses: 1, agents: 1},
  }),
  named(task1, 'a stop, a crash', {
    plan: chain,
    behaviours: [],
    commands: [],
    bounds: {...quietOnce, stops: 1, crashes: 1},
  }),
  named(attended, 'a pause', {behaviours: [], bounds: {...quietOnce, pauses: 1}}),
  named(attended, 'a crash', {behaviours: [], bounds: {...quietOnce, crashes: 1}}),
  named(attended, 'a stop', {plan: twoTasks, behaviours: [], bounds: {...quietOnce, stops: 1}}),
  named(attended, 'a full disk', {behaviours: [], bounds: {...quietOnce, failures: 1}}),
  named(attended, 'an edit', {behaviours: [], bounds: {...quietOnce, edits: 1}}),
  named(open, 'a pause, a crash', {behaviours: [], bounds: {...least, commands: 2}}),
  named(open, 'three commands', {behaviours: [], bounds: {...quiet, commands: 3}}),
  named(open, 'a full disk', {bounds: {...quiet, failures: 1}}),
  named(open, 'an edit', {
    setup: [['execute']],
    bounds: {...quietOnce, edits: 1},
  }),
  named(family1, 'a pause', {bounds: {...quietOnce, pauses: 1, agents: 3}}),
  named(family1, 'a crash', {bounds: {...quietOnce, crashes: 1, agents: 3}}),
  named(family1, 'every behaviour', {
    behaviours: [
      'sends a task back',
      'gives an invalid answer',
      'fails',
      'hits a limit',
      'crashes without a result',
    ],
    bounds: {...quietOnce, agents: 3},
  }),
  named(family1, 'commands', {
    behaviours: ['sends a task back'],
    setup: [['execute', 'agent p-1 sends a task back']],
    bounds: {...quietOnce, agents: 3},
  }),
  named(family1, 'commands, a crash', {
    behaviours: ['sends a task back'],
    setup: [['execute', 'agent p-1 sends a task back']],
    bounds: {...quietOnce, crashes: 1, agents: 3},
  }),
  named(family1, 'a full disk', {
    behaviours: ['sends a task back'],
    bounds: {...quietOnce, failures: 1, agents: 3},
  }),
  named(family1, 'an edit', {behaviours: ['sends a task back'], bounds: {...quietOnce, edits: 1}}),
  named(family1, 'a stop', {behaviours: ['sends a task back'], bounds: {...quietOnce, stops: 1}}),
  named(limited, 'a pause', {behaviours: ['hits a limit'], bounds: {...quietOnce, pauses: 1}}),
  named(limited, 'an outage, a pause', {behaviours: ['hits an outage'], bounds: {...quietOnce, pauses: 1}}),
  named(limited, 'a crash', {behaviours: ['hits a limit'], bounds: {...quietOnce, crashes: 1}}),
  named(limited, 'a stop', {behaviours: ['hits a limit'], bounds: {...quietOnce, stops: 1}}),
  named(limited, 'a full disk', {behaviours: ['hits a limit'], bounds: {...quietOnce, failures: 1}}),
  named(checked, 'two pauses', {settings: oneCheck, bounds: {...quietOnce, pauses: 2}}),
  named(checked, 'two checks', {bounds: quietOnce}),
  named(checked, 'a crash', {settings: oneCheck, bounds: {...quietOnce, crashes: 1}}),
  named(checked, 'commands', {
    settings: {verify: ['test'], verifyRounds: 0},
    setup: [['execute', 'check "test" fails']],
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
    setup: [['execute']],
    bounds: {...quietOnce, crashes: 1},
  }),
  named(undone, 'a crash, then again', {
    plan: oneTask,
    setup: [['execute']],
    commands: ['undo'],
    bounds: {...quiet, crashes: 1},
  }),
  named(undone, 'a chain, a pause', {setup: [['execute']], bounds: {...quietOnce, pauses: 1}}),
  named(undone, 'a full disk', {
    plan: oneTask,
    setup: [['execute']],
    bounds: {...quietOnce, failures: 1},
  }),
  named(undone, 'an edit', {plan: oneTask, setup: [['execute']], bounds: {...quietOnce, edits: 1}}),
  named(edited, 'a crash', {bounds: {...quietOnce, edits: 1, crashes: 1}}),
  named(edited, 'a pause', {bounds: {...quietOnce, edits: 1, pauses: 1}}),
  named(retried, 'a pause', {bounds: {...quietOnce, pauses: 1}}),
  named(retried, 'a crash', {bounds: {...quietOnce, crashes: 1}}),
  named(retried, 'while Blackbird writes', {bounds: {...quietOnce, interleavings: 1}}),
  named(retried, 'a full disk', {bounds: {...quietOnce, failures: 1}}),
  named(retried, 'a stop', {bounds: {...quietOnce, stops: 1}}),
];
