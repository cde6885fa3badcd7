import {AppError} from '../../services/contracts/errors.ts';
import type {Services} from '../../services/contracts/services.ts';
import type {SideEffect} from '../../services/contracts/side-effects.ts';
import type {SettingsTakenBack} from '../policies/review/effect-words.ts';
import {settingsToTakeBack} from '../policies/review/settings-take-back.ts';

/** Restores project settings that an agent changed, and names those it cannot restore. */
export async function takeBackSettings(
  {settings, writeSetting}: Pick<Services, 'settings' | 'writeSetting'>,
  effects: readonly SideEffect[] = [],
): Promise<SettingsTakenBack> {
  const ofSettings = effects.filter(({kind}) => kind === 'settings');
  if (ofSettings.length === 0) return {taken: [], left: []};
  const {writes, left} = settingsToTakeBack(await settings(), ofSettings);
  const [taken, refused]: [string[], SettingsTakenBack['left'][number][]] = [[], []];
  for (const {key, value, seen, command} of writes) {
    try {
      await writeSetting(key, value, {value: seen});
      taken.push(key);
    } catch (error) {
      // The rejection stands anyway: the user is told what was not restored.
      if (!(error instanceof AppError)) throw error;
      refused.push({key, command});
    }
  }
  return {taken, left: [...refused, ...left]};
}
