import {appendFileSync, mkdirSync, renameSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, onTestFinished, test, vi} from 'vitest';
import {projectFolder} from '../../../src/services/stores/project-folder.ts';
import {watchProject} from '../../../src/services/stores/project-watch.ts';
import {eventually} from '../../helpers/eventually.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

function watched({hasState = true} = {}) {
  const folder = projectFolder(temporaryFolder());
  if (hasState) mkdirSync(path.join(folder.runsFolder, 'a'), {recursive: true});
  const told = vi.fn();
  const watch = watchProject(folder, told);
  onTestFinished(() => watch.close());
  const write = (file: string) => {
    writeFileSync(`${file}.tmp-1`, 'x');
    renameSync(`${file}.tmp-1`, file);
  };
  /** Waits for a change of the plan, so that everything before it was reported as well. */
  const settled = async () => {
    const before = told.mock.calls.length;
    write(folder.planFile);
    await eventually(() => expect(told.mock.calls.length).toBeGreaterThan(before));
  };
  return {folder, told, watch, write, settled};
}

test.each([
  {name: 'the plan', file: (folder: ReturnType<typeof projectFolder>) => folder.planFile},
  {name: 'the settings', file: (folder: ReturnType<typeof projectFolder>) => folder.configFile},
  {name: 'the lock of an engine', file: (folder: ReturnType<typeof projectFolder>) => folder.lockFile},
  {
    name: 'the first run of a task',
    file: (folder: ReturnType<typeof projectFolder>) => path.join(folder.runsFolder, 'new'),
  },
])('reports a change of $name', async ({file}) => {
  const {folder, told, write} = watched();
  write(file(folder));
  await eventually(() => expect(told).toHaveBeenCalled());
});

test('reports a change of a file elsewhere, and of none beside it', async () => {
  const folder = projectFolder(temporaryFolder());
  const file = path.join(temporaryFolder(), 'config.json');
  const told = vi.fn();
  const watch = watchProject(folder, told, [file]);
  onTestFinished(() => watch.close());
  writeFileSync(path.join(path.dirname(file), 'other.json'), 'x');
  watch.watchTasks([]);
  writeFileSync(file, 'x');
  await eventually(() => expect(told).toHaveBeenCalledTimes(1));
});

test('changes in quick succession are reported once', async () => {
  const {folder, told, write} = watched();
  for (let index = 0; index < 50; index++) write(folder.planFile);
  await eventually(() => expect(told).toHaveBeenCalled());
  expect(told.mock.calls.length).toBeLessThan(5);
});

test('the runs of a task are watched while it is in progress, its output never is', async () => {
  const {folder, told, watch, write, settled} = watched();
  const record = path.join(folder.runsFolder, 'a', 'a-1.json');
  write(record);
  await settled();
  watch.watchTasks([path.dirname(record)]);
  const before = told.mock.calls.length;
  write(record);
  await eventually(() => expect(told.mock.calls.length).toBeGreaterThan(before));
  await settled();
  const quiet = told.mock.calls.length;
  for (let line = 0; line < 20; line++)
    appendFileSync(path.join(folder.runsFolder, 'a', 'a-1.stdout.log'), 'x\n');
  await settled();
  expect(told.mock.calls.length).toBe(quiet + 1);
});

test('a file that does not exist yet is watched once it does', async () => {
  const {folder, told, write} = watched({hasState: false});
  mkdirSync(folder.stateFolder);
  await eventually(() => expect(told).toHaveBeenCalledTimes(1));
  write(folder.configFile);
  await eventually(() => expect(told).toHaveBeenCalledTimes(2));
});

test('nothing is reported after it was closed', async () => {
  const {folder, told, watch, write} = watched();
  watch.close();
  write(folder.planFile);
  const other = vi.fn();
  const again = watchProject(folder, other);
  write(folder.planFile);
  await eventually(() => expect(other).toHaveBeenCalled());
  again.close();
  expect(told).not.toHaveBeenCalled();
});
