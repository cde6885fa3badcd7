import {modelSettings} from './model-settings.ts';
import {providerIds, providerTable} from './provider-table.ts';

/** Everything about one setting. To add a key, add an entry to `settings`. */
type AnySetting = {
  readonly about: string;
  /** It can stop agents: a job does not start while its value cannot be read. */
  readonly isGate?: true;
};
type BooleanSetting = AnySetting & {readonly type: 'boolean'; readonly default: boolean};
type NumberSetting = AnySetting & {
  readonly type: 'integer';
  readonly default: number;
  readonly min: number;
  readonly max: number;
};
type ChoiceSetting = AnySetting & {
  readonly type: 'choice';
  readonly default: string;
  readonly options: readonly string[];
};
/** An optional number: null for no limit. */
type LimitSetting = AnySetting & {
  readonly type: 'limit';
  readonly default: null;
  readonly min: number;
  readonly max: number;
  readonly isWhole?: true;
};
/** One line; empty for none. */
type TextSetting = AnySetting & {readonly type: 'text'; readonly default: string};
type ListSetting = AnySetting & {readonly type: 'list'; readonly default: readonly string[]};
export type Setting =
  | BooleanSetting
  | NumberSetting
  | ChoiceSetting
  | LimitSetting
  | TextSetting
  | ListSetting;

const turnLimited = providerIds.filter((id) => providerTable[id].limitsTurns).join(', ');

export const settings = {
  'execution.stopAfterEachTask': {
    type: 'boolean',
    default: false,
    about: 'stop after each task and ask for a decision',
    isGate: true,
  },
  'execution.parentReviewEnabled': {
    type: 'boolean',
    default: true,
    about: 'let an agent review the finished children of a parent',
    isGate: true,
  },
  'execution.stopOnFailure': {
    type: 'boolean',
    default: false,
    about: 'stop the plan when a task fails',
    isGate: true,
  },
  'execution.commit': {
    type: 'choice',
    default: 'off',
    options: ['off', 'task'],
    about: "commit a task's change, and nothing else, once it is done",
  },
  'execution.pauseGraceSeconds': {
    type: 'integer',
    default: 10,
    min: 1,
    max: 120,
    about: 'how long a paused agent may take to stop before it is killed',
  },
  'execution.maxReviewCycles': {
    type: 'integer',
    default: 3,
    min: 1,
    max: 20,
    about: 'how often a parent review may send tasks back before a person decides',
    isGate: true,
  },
  'execution.reviewMinutes': {
    type: 'integer',
    default: 30,
    min: 1,
    max: 1440,
    about: 'how long a parent review may take before it is stopped and has no result',
  },
  'execution.onLimit': {
    type: 'choice',
    default: 'wait',
    options: ['wait', 'stop'],
    about: 'whether a job waits for the end of a usage limit or stops',
  },
  'execution.maxLimitWaitMinutes': {
    type: 'integer',
    default: 360,
    min: 1,
    max: 20_160,
    about: 'how long a job waits for a usage limit before it stops',
  },
  'execution.maxOutageMinutes': {
    type: 'integer',
    default: 60,
    min: 0,
    max: 1_440,
    about: 'how long a job keeps trying while the model cannot be reached; 0 to stop at once',
  },
  'execution.stallMinutes': {
    type: 'integer',
    default: 15,
    min: 1,
    max: 240,
    about: 'how long an agent may print nothing before it is interrupted and resumed',
  },
  'execution.retries': {
    type: 'integer',
    default: 0,
    min: 0,
    max: 10,
    about: 'how many new runs a task gets after its agent or a check failed',
  },
  'execution.verify': {
    type: 'list',
    default: [],
    about: 'commands that must succeed before any task is done',
    isGate: true,
  },
  'execution.verifyMinutes': {
    type: 'integer',
    default: 10,
    min: 1,
    max: 1_440,
    about: 'how long one check may take before it is stopped and counts as failed',
  },
  'execution.verifyRounds': {
    type: 'integer',
    default: 2,
    min: 0,
    max: 20,
    about: 'how often a failed check is sent back to the agent',
  },
  'execution.maxCostUsd': {
    type: 'limit',
    default: null,
    min: 0.01,
    max: 100_000,
    about: 'how much a job may cost in dollars, if the agent reports its cost',
    isGate: true,
  },
  'execution.maxTokens': {
    type: 'limit',
    default: null,
    min: 1,
    max: 1e12,
    isWhole: true,
    about: 'how many tokens a job may use',
    isGate: true,
  },
  'execution.maxMinutes': {
    type: 'limit',
    default: null,
    min: 0.1,
    max: 100_000,
    about: 'how many minutes the agents of a job may work',
    isGate: true,
  },
  'execution.maxTaskCostUsd': {
    type: 'limit',
    default: null,
    min: 0.01,
    max: 100_000,
    about: 'how much a task may cost in dollars, including resumed and retried runs',
    isGate: true,
  },
  'execution.maxTaskTokens': {
    type: 'limit',
    default: null,
    min: 1,
    max: 1e12,
    isWhole: true,
    about: 'how many tokens a task may use',
    isGate: true,
  },
  'execution.maxTaskMinutes': {
    type: 'limit',
    default: null,
    min: 0.1,
    max: 100_000,
    about: 'how many minutes the agent of a task may work',
    isGate: true,
  },
  'execution.maxTurns': {
    type: 'limit',
    default: null,
    min: 1,
    max: 100_000,
    isWhole: true,
    about: `how many turns an agent may take before it stops (${turnLimited} only)`,
    isGate: true,
  },
  'execution.keepAwake': {
    type: 'boolean',
    default: true,
    about: 'keep the machine awake while a job runs, if the system can',
  },
  'hooks.needsYou': {
    type: 'text',
    default: '',
    about: 'a command to run when Blackbird needs you; it gets one JSON object on stdin',
  },
  'hooks.taskEnded': {type: 'text', default: '', about: 'a command to run when a task has ended'},
  'hooks.jobEnded': {type: 'text', default: '', about: 'a command to run when a job has ended'},
  ...modelSettings,
  'planning.maxPlanAutoRefinePasses': {
    type: 'integer',
    default: 1,
    min: 0,
    max: 3,
    about: 'how often a generated plan with findings is refined automatically',
  },
  'tui.runDataRefreshIntervalSeconds': {
    type: 'integer',
    default: 5,
    min: 1,
    max: 300,
    about: 'how often the terminal UI reloads the runs',
  },
  'tui.planDataRefreshIntervalSeconds': {
    type: 'integer',
    default: 5,
    min: 1,
    max: 300,
    about: 'how often the terminal UI reloads the plan',
  },
  'tui.mouse': {
    type: 'boolean',
    default: true,
    about: 'the wheel scrolls and a click selects in the terminal UI; hold shift to select text',
  },
  'tui.notify': {
    type: 'choice',
    default: 'bell',
    options: ['bell', 'osc9', 'osc777', 'off'],
    about: 'how the terminal UI notifies you',
  },
} as const satisfies Record<string, Setting>;

export type SettingKey = keyof typeof settings;
export type SettingValue = boolean | number | string | readonly string[] | null;
export type SettingValueOf<K extends SettingKey> = (typeof settings)[K] extends {
  options: readonly (infer O)[];
}
  ? O
  : ValueOfType[(typeof settings)[K]['type']];
type ValueOfType = {
  boolean: boolean;
  integer: number;
  choice: string;
  limit: number | null;
  text: string;
  list: readonly string[];
};
export const settingKeys = Object.keys(settings) as readonly SettingKey[];
export const gateKeys = settingKeys.filter((key) => 'isGate' in settings[key]);

export const configSchemaVersion = 1;

/** Where a setting can be stored. The project's value overrides the global one. */
export type ConfigLayerName = 'project' | 'global';
export type ConfigSource = ConfigLayerName | 'default';

/** One configuration file: its content as JSON, null if there is none, or why it is unusable. */
export type ConfigLayer = {
  readonly name: ConfigLayerName;
  readonly file: string;
  readonly content: Readonly<Record<string, unknown>> | null;
  readonly problem?: string;
};

export interface ConfigStore {
  layers(): Promise<readonly ConfigLayer[]>;
  /**
   * Writes one key (`undefined` removes it) and keeps all others, known or not. With `seen`, the value the user was
   * shown, it refuses if the file has another one.
   */
  write(
    layer: ConfigLayerName,
    key: SettingKey,
    value: SettingValue | undefined,
    seen?: {readonly value: unknown},
  ): Promise<void>;
}
