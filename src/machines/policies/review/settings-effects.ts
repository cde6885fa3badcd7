import {configSchemaVersion} from '../../../services/contracts/config.ts';
import type {
  KeptSurroundings,
  SettingEdit,
  SettingsContent,
  SideEffect,
  Surroundings,
} from '../../../services/contracts/side-effects.ts';
import {keptEdits} from './kept-edits.ts';

export const projectSettings = '.blackbird/config.json';

/** Settings files that someone else wrote while an agent was working, with every changed key. */
export function settingsEffects(
  before: Surroundings,
  after: Surroundings,
  by: 'here' | 'elsewhere' | null = null,
): SideEffect[] {
  return [...after.settings].flatMap(([path, now]): SideEffect[] => {
    const old = before.settings.get(path) ?? null;
    const isProject = path === projectSettings;
    if (old === now || (isProject && by === 'here')) return [];
    const isByBlackbird = isProject && by === 'elsewhere';
    const way = isByBlackbird ? ' with Blackbird meanwhile' : '';
    const verb = old === null ? 'created' : now === null ? 'removed' : 'changed';
    const counts = countsOf(path);
    const [then, today] = [before.contents?.get(path), after.contents?.get(path)];
    const edits = then === undefined || today === undefined ? null : keptSettings(editsOf(then, today));
    const own = isByBlackbird ? {is_by_blackbird: true} : null;
    return [{kind: 'settings', text: `${path} was ${verb}${way}; ${counts}`, path, ...own, ...edits}];
  });
}

function countsOf(path: string): string {
  // Project instructions are read before each task.
  if (path.endsWith('.md')) return 'the next agents will get it';
  return path.endsWith('.gitignore') ? 'git uses it from now on' : 'it applies from the next job on';
}

/** A larger text would make the record too big. */
const maxContentLength = 16_000;

export function keptContents({contents}: Surroundings): Pick<KeptSurroundings, 'contents'> {
  if (contents === undefined || contents.size === 0) return {};
  const short = [...contents].filter(([, content]) => JSON.stringify(content).length <= maxContentLength);
  return {contents: Object.fromEntries(short)};
}

function editsOf(before: SettingsContent | null, after: SettingsContent | null): SettingEdit[] {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  return [...new Set([...old.keys(), ...now.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), now.get(key)];
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [{key, ...(was !== undefined && {before: was}), ...(is !== undefined && {after: is})}];
  });
}

/** Values by key, `section.name`. A file without a version has this one. */
function valuesOf(content: SettingsContent | null): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const [name, value] of Object.entries(content ?? {})) {
    if (name === 'schemaVersion' && value === configSchemaVersion) continue;
    const isSection = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isSection) values.set(name, value);
    else for (const [key, each] of Object.entries(value)) values.set(`${name}.${key}`, each);
  }
  return values;
}

function keptSettings(edits: readonly SettingEdit[]): Pick<SideEffect, 'settings' | 'more_settings'> {
  const {kept, more} = keptEdits(edits, ({key}): SettingEdit => ({key, is_cut: true}));
  return {settings: kept, ...(more > 0 && {more_settings: more})};
}
