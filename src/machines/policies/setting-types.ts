import type {Setting, SettingValue} from '../../services/contracts/config.ts';
import {displayText} from './text/display-text.ts';

/** The operations on a value of one setting type. */
type SettingType<S extends Setting> = {
  /** The text after "must be". */
  readonly accepted: (setting: S) => string;
  /** Parses typed text; undefined if invalid. */
  readonly parse: (setting: S, text: string) => SettingValue | undefined;
  /** Reads a value from a file; undefined if invalid. */
  readonly read: (setting: S, raw: unknown) => SettingValue | undefined;
};

type SettingTypes = {readonly [T in Setting['type']]: SettingType<Extract<Setting, {type: T}>>};

const longestText = 10_000;
const none = 'none';

const types: SettingTypes = {
  boolean: {
    accepted: () => 'true or false',
    parse: (_, text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
    read: (_, raw) => (typeof raw === 'boolean' ? raw : undefined),
  },
  choice: {
    accepted: ({options}) => `one of ${options.join(', ')}`,
    parse: ({options}, text) => options.find((each) => each === text),
    read: ({options}, raw) => options.find((each) => each === raw),
  },
  integer: {
    accepted: ({min, max}) => `a whole number from ${min} to ${max}`,
    parse: ({min, max}, text) => {
      const value = Number(text);
      return /^-?\d+$/.test(text) && value >= min && value <= max ? value : undefined;
    },
    // Numbers out of range are clamped, with a warning.
    read: (_, raw) => (Number.isInteger(raw) ? (raw as number) : undefined),
  },
  limit: {
    accepted: ({min, max, isWhole}) =>
      `${isWhole ? 'a whole number' : 'a number'} from ${min} to ${max}, or ${none}`,
    parse: ({min, max, isWhole}, text) => {
      if (text === none) return null;
      const isNumber = isWhole ? /^\d+$/.test(text) : /^\d+(\.\d+)?$/.test(text);
      const value = Number(text);
      return isNumber && value >= min && value <= max ? value : undefined;
    },
    // A limit is never clamped: what it was meant to stop would continue.
    read: ({min, max, isWhole}, raw) => {
      if (raw === null) return null;
      const isNumber = typeof raw === 'number' && (!isWhole || Number.isInteger(raw));
      return isNumber && raw >= min && raw <= max ? raw : undefined;
    },
  },
  text: {
    accepted: () => `one line of at most ${longestText} characters, or ${none}`,
    parse: (_, text) => (text === none ? '' : isLine(text) ? text : undefined),
    read: (_, raw) => (isLine(raw) ? raw : undefined),
  },
  list: {
    accepted: () => 'a JSON list of texts, such as \'["npm test", "npm run lint"]\', or one text',
    parse: (_, text) => asList(text),
    read: (_, raw) => (isList(raw) ? raw : undefined),
  },
};

export const acceptedFor = (setting: Setting): string => typeOf(setting).accepted(setting);

export const parsedAs = (setting: Setting, text: string): SettingValue | undefined =>
  typeOf(setting).parse(setting, text);

export const readAs = (setting: Setting, raw: unknown): SettingValue | undefined =>
  typeOf(setting).read(setting, raw);

/** A value as text that can be typed again. The file may come from the repository, so it is made safe to print. */
export function settingText(value: SettingValue | undefined): string {
  if (value === undefined || value === null || value === '') return none;
  if (typeof value !== 'object') return displayText(String(value));
  return value.length === 0 ? none : displayText(JSON.stringify(value));
}

const typeOf = ({type}: Setting) => types[type] as SettingType<Setting>;

const isLine = (raw: unknown): raw is string =>
  typeof raw === 'string' && raw.length <= longestText && !/[\r\n\0]/.test(raw);

const isList = (raw: unknown): raw is readonly string[] =>
  Array.isArray(raw) && raw.length <= 100 && raw.every((each) => isLine(each) && each.trim() !== '');

function asList(text: string): readonly string[] | undefined {
  if (text === none || text.trim() === '') return [];
  if (!text.trimStart().startsWith('[')) return isLine(text) ? [text] : undefined;
  try {
    const list: unknown = JSON.parse(text);
    return isList(list) ? list : undefined;
  } catch {
    return undefined;
  }
}
