import {
  type ConfigLayer,
  type ConfigSource,
  configSchemaVersion,
  type SettingKey,
  type SettingValue,
  type SettingValueOf,
  settingKeys,
  settings,
} from '../../services/contracts/config.ts';
import {AppError} from '../../services/contracts/errors.ts';

export type ResolvedSetting = {readonly value: SettingValue; readonly source: ConfigSource};

export type ResolvedConfig = {
  readonly values: ReadonlyMap<SettingKey, ResolvedSetting>;
  /** What was ignored or adjusted, each with the file it stands in. */
  readonly warnings: readonly string[];
};

/** The value of every setting and where it comes from: project over global over default, per key. */
export function resolveConfig(layers: readonly ConfigLayer[]): ResolvedConfig {
  const warnings: string[] = [];
  const usable = layers.flatMap((layer) => {
    const problem = layer.problem ?? versionProblem(layer);
    if (problem !== undefined) warnings.push(`${layer.file} is ignored: ${problem}`);
    return problem !== undefined || layer.content === null ? [] : [{...layer, content: layer.content}];
  });
  const values = new Map<SettingKey, ResolvedSetting>();
  for (const key of settingKeys) {
    values.set(key, {value: settings[key].default, source: 'default'});
    // Strongest first: the first layer with a usable value decides.
    for (const layer of usable) {
      const read = readSetting(key, valueAt(layer.content, key));
      if (read.warning) warnings.push(`${layer.file}: ${read.warning}`);
      if (read.value === undefined) continue;
      values.set(key, {value: read.value, source: layer.name});
      break;
    }
  }
  return {values, warnings};
}

export function settingOf<K extends SettingKey>(config: ResolvedConfig, key: K): SettingValueOf<K> {
  return (config.values.get(key)?.value ?? settings[key].default) as SettingValueOf<K>;
}

/** A value as a person types it. Refuses what `resolveConfig` would only warn about. */
export function parseSetting(key: SettingKey, text: string): SettingValue {
  const setting = settings[key];
  if (setting.type === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new AppError('E_CONFIG', `${key} must be true or false, not ${JSON.stringify(text)}`);
  }
  if (setting.type === 'choice') {
    const option = setting.options.find((each) => each === text);
    if (option !== undefined) return option;
    const known = setting.options.join(', ');
    throw new AppError('E_CONFIG', `${key} must be one of ${known}, not ${JSON.stringify(text)}`);
  }
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || value < setting.min || value > setting.max) {
    const range = `a whole number from ${setting.min} to ${setting.max}`;
    throw new AppError('E_CONFIG', `${key} must be ${range}, not ${JSON.stringify(text)}`);
  }
  return value;
}

export function requireSettingKey(text: string): SettingKey {
  const key = settingKeys.find((each) => each === text);
  if (key) return key;
  throw new AppError('E_CONFIG', `unknown configuration key ${JSON.stringify(text)}`, {
    next: [{command: 'blackbird config list', why: 'see every key'}],
  });
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

function readSetting(key: SettingKey, raw: unknown): {value?: SettingValue; warning?: string} {
  const setting = settings[key];
  if (raw === undefined) return {};
  if (setting.type === 'boolean') {
    return typeof raw === 'boolean' ? {value: raw} : {warning: `${key} must be true or false; it is ignored`};
  }
  if (setting.type === 'choice') {
    const option = setting.options.find((each) => each === raw);
    return option === undefined
      ? {warning: `${key} must be one of ${setting.options.join(', ')}; it is ignored`}
      : {value: option};
  }
  if (typeof raw !== 'number' || !Number.isInteger(raw)) {
    return {warning: `${key} must be a whole number; it is ignored`};
  }
  const value = Math.min(setting.max, Math.max(setting.min, raw));
  return value === raw
    ? {value}
    : {value, warning: `${key} is ${raw}, outside ${setting.min} to ${setting.max}; ${value} is used`};
}

function versionProblem({content}: ConfigLayer): string | undefined {
  const version = content?.schemaVersion;
  if (version === undefined || version === configSchemaVersion) return undefined;
  return `unsupported schemaVersion ${JSON.stringify(version)} (expected ${configSchemaVersion})`;
}
