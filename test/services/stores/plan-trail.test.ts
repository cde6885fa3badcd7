import {readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createPlanTrail} from '../../../src/services/stores/plan-trail.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const newFile = () => path.join(temporaryFolder(), 'plan.writes');

test('leads where Blackbird wrote every step, in this process or another', () => {
  const file = newFile();
  const [mine, theirs] = [createPlanTrail(file), createPlanTrail(file)];
  mine.note('1', '2');
  theirs.note('2', '3');
  expect(mine.leads('1', '2')).toBe('here');
  expect(mine.leads('1', '3')).toBe('elsewhere');
  expect(mine.leads('3', '3')).toBe('here');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('does not lead over a step of somebody else, nor back, nor in circles', () => {
  const trail = createPlanTrail(newFile());
  trail.note('1', '2');
  trail.note('x', '3');
  expect(trail.leads('1', '3')).toBeNull();
  expect(trail.leads('2', '1')).toBeNull();
  trail.note('2', '1');
  expect(trail.leads('1', '9')).toBeNull();
});

test("a trail in memory is nobody else's", () => {
  const file = newFile();
  createPlanTrail(null).note('1', '2');
  expect(createPlanTrail(file).leads('1', '2')).toBeNull();
});

test('follows no link, and then shows too much rather than too little', () => {
  const file = newFile();
  const target = path.join(path.dirname(file), 'mine');
  writeFileSync(target, 'mine');
  symlinkSync(target, file);
  createPlanTrail(file).note('1', '2');
  expect(readFileSync(target, 'utf8')).toBe('mine');
});

test('begins anew when it has grown too large', () => {
  const file = newFile();
  writeFileSync(file, 'x'.repeat(256 * 1024 + 1));
  createPlanTrail(file).note('1', '2');
  expect(readFileSync(file, 'utf8')).toBe('1 2\n');
});
