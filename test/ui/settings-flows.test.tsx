import {describe, expect, test} from 'vitest';
import {type SettingKey, settingKeys} from '../../src/services/contracts/config.ts';
import {planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

async function browsing(options: Parameters<typeof tuiProject>[0] = {}) {
  const project = tuiProject({plan: planOf(task('a')), ...options});
  project.press(keys.enter);
  await project.sees('Plan');
  return project;
}

describe('settings', () => {
  const downTo = (key: SettingKey) => settingKeys.slice(0, settingKeys.indexOf(key)).map(() => 'j');

  test('a switch is toggled, a number is typed and checked', async () => {
    const {press, sees} = await browsing();
    press(',');
    await sees(/execution.stopAfterEachTask +false +- +- +false/);
    press(keys.enter);
    await sees(/execution.stopAfterEachTask +true +true +- +false/);
    press(...downTo('execution.pauseGraceSeconds'), keys.enter);
    await sees('1 to 120, default 10');
    press(keys.backspace, keys.backspace, '999', keys.enter);
    await sees('must be a whole number from 1 to 120');
    press(keys.backspace, keys.enter);
    await sees(/execution.pauseGraceSeconds +99 +99/);
  });

  test.each([
    {key: 'execution.verify', typed: 'npm test', seen: /execution.verify +\["npm te… \["npm te…/},
    {key: 'execution.maxCostUsd', typed: '1.5', seen: /execution.maxCostUsd +1.5 +1.5/},
    {key: 'hooks.needsYou', typed: 'true', seen: /hooks.needsYou +true +true/},
  ] as const)('$key has no value: what is typed is all there is', async ({key, typed, seen}) => {
    const {press, sees} = await browsing();
    press(',', ...downTo(key), keys.enter);
    await sees(/❯ *\n/);
    press(typed, keys.enter);
    await sees(seen);
  });

  test('shows how many there are, and which are visible', async () => {
    const {press, sees} = await browsing();
    press(',');
    await sees(new RegExp(`1–\\d+ of ${settingKeys.length}`));
    press('G');
    await sees(`–${settingKeys.length} of ${settingKeys.length}`);
  });

  test('a narrow list has whole names with the value that counts, and says all of what it means', async () => {
    const {press, sees, screen} = await browsing({size: {columns: 40, rows: 12}});
    press(',');
    await sees(/❯ stopAfterEachTask +false/);
    expect(screen()).toMatch(/│ stop after each task and ask for a +│\n│ decision +│/);
  });

  test('a search leaves what it finds in a name or its meaning, and acts on that', async () => {
    const {press, sees, seesNot, screen} = await browsing();
    press(',');
    await sees('/ search');
    press('/', 'Stall');
    await sees('Settings /Stall▏');
    await seesNot('execution.stopAfterEachTask');
    press('?');
    await sees('no setting matches');
    press(keys.backspace, keys.enter);
    await sees(/❯ execution.stallMinutes/);
    await seesNot('▏');
    await sees('esc clear');
    press(keys.enter);
    await sees('default 15');
    press(keys.escape);
    await sees(/❯ execution.stallMinutes/);
    press(keys.escape);
    await sees('execution.retries');
    expect(screen()).toMatch(/❯ execution.stallMinutes/);
    press(keys.escape);
    await sees('Plan');
  });

  test('a control sequence pasted into the search does not reach the terminal', async () => {
    const {press, sees, screen} = await browsing();
    press(',');
    await sees('/ search');
    press('/', '\x1b[200~a\x1b]0;owned\x07b\x1b[201~');
    await sees(/Settings \/a.*b▏/);
    expect(screen()).not.toContain('owned');
  });

  test('pages move by half of what is seen; the whole name is told where the list cuts it', async () => {
    const {press, sees} = await browsing({size: {columns: 60, rows: 20}});
    press(',', keys.pageDown);
    await sees(`${settingKeys[7]} comes from: default`);
    press('\x15');
    await sees(`${settingKeys[0]} comes from: default`);
  });

  test('esc goes back to the screen it was opened from, H goes home', async () => {
    const {press, sees} = tuiProject({plan: planOf(task('a'))});
    press(',');
    await sees('Settings');
    press(keys.escape);
    await sees('tasks done');
    press(keys.enter, ',');
    await sees('Settings');
    press(keys.escape);
    await sees('[Details]');
    press('S');
    await sees('there are no sessions here');
    press('H');
    await sees('tasks done');
  });

  test('the help, scrolled or not, leaves the selected row as it was', async () => {
    const {press, sees} = await browsing();
    press(',', 'j', 'j');
    await sees('❯ execution.stopOnFailure');
    press('?');
    await sees('esc back');
    press('j', keys.escape);
    await sees('❯ execution.stopOnFailure');
  });

  test('a global switch is toggled there, also when the project overrides it', async () => {
    const {press, sees} = await browsing({config: {execution: {stopAfterEachTask: true}}});
    press(',');
    await sees(/setting +value +project +global +default/);
    await sees(/execution.stopAfterEachTask +true +true +- +false/);
    press('a');
    await sees(/execution.stopAfterEachTask +true +true +false +false/);
    press('a');
    await sees(/execution.stopAfterEachTask +true +true +true +false/);
  });

  test('a value that was set in the meantime is not overwritten', async () => {
    const {press, sees, editSettings, tell} = await browsing();
    press(',', ...downTo('execution.pauseGraceSeconds'), keys.enter);
    await sees('1 to 120, default 10');
    editSettings({execution: {pauseGraceSeconds: 30}});
    press(keys.backspace, keys.enter);
    await sees('execution.pauseGraceSeconds was changed by somebody else meanwhile');
    press(keys.escape);
    tell();
    await sees(/execution.pauseGraceSeconds +30 +30/);
  });

  test('one of a few values is chosen', async () => {
    const {press, sees} = await browsing();
    press(',', 'G', keys.enter);
    await sees('how the terminal UI notifies you');
    press('G', keys.enter);
    await sees(/tui.notify +off +off/);
  });
});
