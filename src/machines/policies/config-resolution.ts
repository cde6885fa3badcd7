import {
  type ConfigLayer,
  type ConfigLayerName,
  type ConfigSource,
  configSchemaVersion,
  gateKeys,
  type Setting,
  type SettingKey,
  type SettingValue,
  type SettingValueOf,
  settingKeys,
  settings,
} from '../../services/contracts/config.ts';
import {AppError} from '../../services/contracts/errors.ts';
import {acceptedFor, parsedAs, readAs, settingText} from './setting-types.ts';
import {nearestTo} from './text/nearest-word.ts';

export type ResolvedSetting = {readonly value: SettingValue; readonly source: ConfigSource};

export type ResolvedConfig = {
  readonly values: ReadonlyMap<SettingKey, ResolvedSetting>;
  /** What was ignored or adjusted, each with its file. */
  readonly warnings: readonly string[];
  /** Settings that a file of higher precedence sets to something unusable. */
  readonly unusable: ReadonlyMap<SettingKey, UnusableSetting>;
};

export type UnusableSetting = {
  readonly layer: ConfigLayerName;
  readonly file: string;
  /** Why the whole file is unusable; without it, only this value is. */
  readonly problem?: string;
};

/** The value of every setting and its origin: project over global over default, per key. */
export function resolveConfig(layers: readonly ConfigLayer[]): ResolvedConfig {
  const warnings = new Set<string>();
  const read = layers.map((layer) => ({...layer, problem: layer.problem ?? versionProblem(layer)}));
  for (const {file, problem} of read) {
    if (problem !== undefined) warnings.add(`${file} is ignored: ${problem}`);
  }
  const values = new Map<SettingKey, ResolvedSetting>();
  const unusable = new Map<SettingKey, UnusableSetting>();
  for (const key of settingKeys) {
    values.set(key, {value: settings[key].default, source: 'default'});
    // Highest precedence first: the first layer with a usable value wins.
    for (const {name: layer, file, content, problem} of read) {
      if (problem !== undefined && !unusable.has(key)) unusable.set(key, {layer, file, problem});
      if (problem !== undefined || content === null) continue;
      const {value, warning} = readSetting(key, content);
      if (warning) warnings.add(`${file}: ${warning}`);
      if (value !== undefined) {
        values.set(key, {value, source: layer});
        break;
      }
      if (warning && !unusable.has(key)) unusable.set(key, {layer, file});
    }
  }
  return {values, warnings: [...warnings], unusable};
}

/** Refuses a job if a setting that gates it cannot be read. Options given to the job need no setting. */
export function requireGates({unusable}: ResolvedConfig, told: ReadonlySet<SettingKey>): void {
  const key = gateKeys.find((each) => unusable.has(each) && !told.has(each));
  const found = key && unusable.get(key);
  if (!key || !found) return;
  const {layer, file, problem} = found;
  const message =
    problem === undefined
      ? `${key} in ${file} must be ${acceptedValues(key)}`
      : `${file} cannot be used, and ${key} may be set in it: ${problem}`;
  const flag = layer === 'global' ? ' --global' : '';
  throw new AppError('E_CONFIG', `nothing was started: ${message}`, {
    details: [
      ['file', file],
      ['key', key],
      ['accepted', acceptedValues(key)],
    ],
    next: [
      problem === undefined
        ? {
            command: `blackbird config set${flag} ${key} ${settingText(settings[key].default)}`,
            why: 'or another of these',
          }
        : {command: 'blackbird config list', why: 'see the settings once the file is fixed or moved aside'},
    ],
  });
}

const acceptedValues = (key: SettingKey) => acceptedFor(settings[key]);

export function settingOf<K extends SettingKey>(config: ResolvedConfig, key: K): SettingValueOf<K> {
  return (config.values.get(key)?.value ?? settings[key].default) as SettingValueOf<K>;
}

/** Parses a value as typed. Refuses what `resolveConfig` would only warn about. */
export function parseSetting(key: SettingKey, text: string): SettingValue {
  const value = parsedAs(settings[key], text);
  if (value !== undefined) return value;
  throw new AppError('E_CONFIG', `${key} must be ${acceptedValues(key)}, not ${JSON.stringify(text)}`);
}

export function requireSettingKey(text: string): SettingKey {
  const key = settingKeys.find((each) => each === text);
  if (key) return key;
  const meant = meantKey(text);
  throw new AppError('E_CONFIG', `unknown configuration key ${JSON.stringify(text)}`, {
    details: meant === null ? [] : [['hint', `Did you mean ${meant}?`]],
    next: [
      // People look for it here.
      ...(/agent|provider/i.test(text)
        ? [{command: 'blackbird agents', why: 'see the agent and where it was chosen'}]
        : []),
      {command: 'blackbird config list', why: 'see every key'},
    ],
  });
}

/** A typo, or a key without its group. */
function meantKey(text: string): string | null {
  const known = settingKeys.flatMap((key) => [[key, key] as const, [key.split('.')[1] ?? key, key] as const]);
  return known.find(([typed]) => typed === text)?.[1] ?? nearestTo(text, known);
}

/** `execution.stopOnFailure` in `{execution: {stopOnFailure: …}}`. Own properties only. */
export function valueAt(content: Readonly<Record<string, unknown>>, key: string): unknown {
  let current: unknown = content;
  for (const part of key.split('.')) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, part)) return undefined;
    current = (current as Record<string, unknown>)[part];
  }
  return current;
}

function readSetting(
  key: SettingKey,
  content: Readonly<Record<string, unknown>>,
): {value?: SettingValue; warning?: string} {
  const setting = settings[key];
  const [section = ''] = key.split('.');
  const own = valueAt(content, section);
  if (own !== undefined && (typeof own !== 'object' || own === null || Array.isArray(own))) {
    return {warning: `${section} must be an object; it is ignored`};
  }
  const raw = valueAt(content, key);
  if (raw === undefined) return {};
  const value = readAs(setting, raw);
  if (value === undefined) return {warning: `${key} must be ${ofType(setting)}; it is ignored`};
  if (setting.type !== 'integer' || typeof value !== 'number') return {value};
  const used = Math.min(setting.max, Math.max(setting.min, value));
  return used === value
    ? {value}
    : {value: used, warning: `${key} is ${value}, outside ${setting.min} to ${setting.max}; ${used} is used`};
}

/** Values out of range have a warning of their own. */
const ofType = (setting: Setting) => (setting.type === 'integer' ? 'a whole number' : acceptedFor(setting));

function versionProblem({content}: ConfigLayer): string | undefined {
  const version = content?.schemaVersion;
  if (version === undefined || version === configSchemaVersion) return undefined;
  return `unsupported schemaVersion ${JSON.stringify(version)} (expected ${configSchemaVersion})`;
}
