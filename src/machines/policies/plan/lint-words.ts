// The words that the rules of `plan-lint.ts` look for. Text is compared in lower case, word by word.

/** Outside of quotes, these mean that something is undecided. */
export const undecidedPhrases = ['tbd', 'to be determined', 'to be defined', 'fill in later'];

/** Texts that say nothing on their own. */
export const placeholders = [
  'todo',
  'tbd',
  'to be determined',
  'to be defined',
  'to be done',
  'placeholder',
  'implement feature',
  'implement the feature',
  'fill in later',
  'coming soon',
  'n a',
  'none',
];

/** Prompts that on their own leave all of the work to guesswork. */
export const emptyOrders = [
  'do this',
  'do it',
  'do the task',
  'work on this',
  'work on this task',
  'implement this',
  'implement this task',
  'implement the task',
  'handle this',
  'see title',
  'see description',
  'as needed',
];

export const directionWords = [
  ...[
    'implement',
    'add',
    'create',
    'update',
    'modify',
    'change',
    'refactor',
    'remove',
    'delete',
    'rename',
    'wire',
  ],
  ...[
    'introduce',
    'migrate',
    'write',
    'build',
    'document',
    'move',
    'replace',
    'extract',
    'fix',
    'make',
    'use',
    'set',
  ],
  ...[
    'configure',
    'install',
    'extend',
    'generate',
    'test',
    'show',
    'run',
    'let',
    'expose',
    'return',
    'store',
  ],
];

export const completionWords = [
  ...[
    'done when',
    'acceptance criteria',
    'verify',
    'verified',
    'validated',
    'validation',
    'tests pass',
    'passes',
  ],
  ...['assert', 'confirm', 'must', 'should'],
];

export const verificationWords = [
  ...['test', 'tests', 'tested', 'verify', 'verified', 'validate', 'validation', 'assert', 'check', 'checks'],
  ...['pass', 'passes', 'confirm', 'lint', 'typecheck', 'build'],
];

/** Words for things that can be observed. */
export const observableWords = [
  ...['test', 'tests', 'assert', 'asserts', 'return', 'returns', 'contain', 'contains', 'create', 'creates'],
  ...[
    'update',
    'updates',
    'write',
    'writes',
    'log',
    'logs',
    'emit',
    'emits',
    'reject',
    'rejects',
    'allow',
    'allows',
  ],
  ...[
    'prevent',
    'prevents',
    'show',
    'shows',
    'print',
    'prints',
    'exit',
    'exits',
    'fail',
    'fails',
    'pass',
    'passes',
  ],
  ...[
    'status code',
    'exit code',
    'response',
    'output',
    'error',
    'file',
    'path',
    'command',
    'json',
    'http',
    'exists',
  ],
  ...['when', 'if', 'only', 'never', 'always', 'cannot', 'equals', 'matches'],
];

/** A state can be checked, unless it is described only by an opinion. */
export const stateWords = ['is', 'are', 'can', 'has', 'have'];

export const opinionWords = [
  ...[
    'good',
    'great',
    'nice',
    'clean',
    'easy',
    'simple',
    'intuitive',
    'fast',
    'quick',
    'modern',
    'beautiful',
  ],
  ...['high quality', 'maintainable', 'readable', 'user friendly', 'well', 'better', 'robust', 'complete'],
];

export const vagueWords = [
  ...[
    'improve',
    'fix',
    'handle',
    'optimize',
    'optimise',
    'enhance',
    'clean up',
    'cleanup',
    'better',
    'robust',
  ],
  ...['properly', 'correctly', 'nicely', 'appropriately'],
];

/** Enough to give a vague word a meaning in its text. */
export const behaviourWords = [
  ...[
    'returns',
    'contains',
    'creates',
    'updates',
    'writes',
    'logs',
    'emits',
    'rejects',
    'allows',
    'prevents',
    'when',
  ],
  ...[
    'if',
    'verify',
    'validation',
    'assert',
    'test',
    'tests',
    'status code',
    'exit code',
    'output',
    'error',
    'instead',
  ],
  ...['so that', 'because', 'without', 'must', 'should'],
];
