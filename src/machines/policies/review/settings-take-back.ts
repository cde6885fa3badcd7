import {
  type ConfigLayer,
  settings as knownSettings,
  type SettingValue,
} from '../../../services/contracts/config.ts';
import {shellWord} from '../../../services/contracts/errors.ts';
import type {SettingEdit, SideEffect} from '../../../services/contracts/side-effects.ts';
import {valueAt} from '../config-resolution.ts';
import {settingText} from '../setting-types.ts';
import type {SettingsTakenBack} from './effect-words.ts';
import {valueBefore} from './plan-take-back.ts';
import {projectSettings} from './settings-effects.ts';

/** `command` is for the user, in case the write is refused. */
export type SettingWrite = {
  readonly key: string;
  readonly value: unknown;
  readonly seen: unknown;
  readonly command: string;
};

type Left = SettingsTakenBack['left'][number];

/** By the names used in side effects. User settings also serve other projects, so they are only reported. */
const files = [
  {layer: 'project', path: projectSettings, flag: '', prefix: ''},
  {layer: 'global', path: '~/.blackbird/config.json', flag: ' --global', prefix: '~ '},
] as const;

/**
 * The writes that restore settings changed by agents. A setting is restored only while it has the agent's value;
 * anything changed since, or unknown, is kept and reported.
 */
export function settingsToTakeBack(
  layers: readonly ConfigLayer[],
  effects: readonly SideEffect[],
): {readonly writes: readonly SettingWrite[]; readonly left: readonly Left[]} {
  const writes: SettingWrite[] = [];
  const left: Left[] = [];
  for (const {layer: name, path, flag, prefix} of files) {
    const ofFile = effects.filter((effect) => effect.kind === 'settings' && effect.path === path);
    const layer = layers.find((each) => each.name === name);
    const look = {key: path, command: 'blackbird config list'};
    const isUnknown = ofFile.some(
      ({settings, more_settings: more = 0}) => settings === undefined || more > 0,
    );
    if (isUnknown) left.push(look);
    for (const edits of byKey(ofFile)) {
      const [{key, before, is_cut: isCut}] = edits;
      const now = valueAt(layer?.content ?? {}, key);
      const back = layer?.problem === undefined ? valueBefore(now, edits.filter(isByAgent)) : null;
      const command = commandFor(edits[0], path, flag);
      if (back !== null && name === 'project') writes.push({key, value: back.value, seen: now, command});
      else if (isCut === true || JSON.stringify(now) !== JSON.stringify(before))
        left.push({key: `${prefix}${key}`, command});
    }
  }
  // A value in place of a section is removed before the section is restored.
  const isRemoval = ({value}: SettingWrite) => value === undefined;
  return {writes: [...writes.filter(isRemoval), ...writes.filter((write) => !isRemoval(write))], left};
}

/** `isByAgent`: not by a Blackbird that no agent called. */
type EditOfKey = SettingEdit & {readonly isByAgent: boolean};
type EditsOfKey = readonly [EditOfKey, ...EditOfKey[]];

const isByAgent = (edit: EditOfKey) => edit.isByAgent;

function byKey(effects: readonly SideEffect[]): EditsOfKey[] {
  const groups = new Map<string, EditsOfKey>();
  for (const {settings = [], is_by_blackbird: isByBlackbird = false} of effects) {
    for (const each of settings) {
      const edit = {...each, isByAgent: !isByBlackbird};
      const group = groups.get(edit.key);
      groups.set(edit.key, group ? [...group, edit] : [edit]);
    }
  }
  return [...groups.values()];
}

function commandFor({key, before, is_cut: isCut}: SettingEdit, path: string, flag: string): string {
  if (isCut === true || !Object.hasOwn(knownSettings, key)) return `edit ${path}`;
  if (before === undefined) return `blackbird config unset ${key}${flag}`;
  return `blackbird config set ${key} ${shellWord(settingText(before as SettingValue))}${flag}`;
}
