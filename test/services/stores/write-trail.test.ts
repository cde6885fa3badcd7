import {readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {createWriteTrail} from '../../../src/services/stores/write-trail.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const newFile = () => path.join(temporaryFolder(), 'plan.writes');

test('leads where Blackbird wrote every step, in this process or another', () => {
  const file = newFile();
  const [mine, theirs] = [createWriteTrail(file), createWriteTrail(file)];
  mine.note('1', '2');
  theirs.note('2', '3');
  expect(mine.leads('1', '2')).toBe('here');
  expect(mine.leads('1', '3')).toBe('elsewhere');
  expect(mine.leads('3', '3')).toBe('here');
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('does not lead over a step of somebody else, nor back, nor in circles', () => {
  const trail = createWriteTrail(newFile());
  trail.note('1', '2');
  trail.note('x', '3');
  expect(trail.leads('1', '3')).toBeNull();
  expect(trail.leads('2', '1')).toBeNull();
  trail.note('2', '1');
  expect(trail.leads('1', '9')).toBeNull();
});

test("a trail in memory is nobody else's", () => {
  const file = newFile();
  createWriteTrail(null).note('1', '2');
  expect(createWriteTrail(file).leads('1', '2')).toBeNull();
});

test('follows no link, and then shows too much rather than too little', () => {
  const file = newFile();
  const target = path.join(path.dirname(file), 'mine');
  writeFileSync(target, 'mine');
  symlinkSync(target, file);
  createWriteTrail(file).note('1', '2');
  expect(readFileSync(target, 'utf8')).toBe('mine');
});

test('begins anew when it has grown too large', () => {
  const file = newFile();
  writeFileSync(file, 'x'.repeat(256 * 1024 + 1));
  createWriteTrail(file).note('1', '2');
  expect(readFileSync(file, 'utf8')).toBe('1 2\n');
});
