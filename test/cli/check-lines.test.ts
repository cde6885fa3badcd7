import {expect, test} from 'vitest';
import {createCheckLines} from '../../src/cli/job/check-lines.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {runRecord} from '../fakes/runs.ts';

const check = (command: string): NonNullable<RunRecord['verifications']>[number] => ({
  command,
  round: 1,
  exit_code: 0,
  signal: null,
  seconds: 1,
  tail: '',
  log_file: 'log',
  log_digest: 'digest',
  started_at: '2026-01-10T12:00:00.000Z',
});

test('each check is shown once, and nothing from before', () => {
  const news = createCheckLines((_style, text) => text);
  const [first, second] = [check('npm test'), check('npm run lint')];
  expect(news(runRecord({run_id: 'a-1', state: 'succeeded', verifications: [first]})).lines).toEqual([]);
  expect(news(runRecord({run_id: 'a-2'})).lines).toEqual([]);
  expect(news(runRecord({run_id: 'a-2', verifications: [first]})).lines).toHaveLength(1);
  expect(news(runRecord({run_id: 'a-2', verifications: [first, second]})).lines).toHaveLength(1);
  expect(news(runRecord({run_id: 'a-2', verifications: [first, second]})).lines).toEqual([]);
});

test('a failed check shows the end of its output', () => {
  const news = createCheckLines((_style, text) => text);
  const tail = [
    ...Array.from({length: 20}, (_, line) => `line ${line}`),
    '',
    '\u001b[31mlast\u001b[0m',
    '',
  ].join('\n');
  news(runRecord());
  const {lines} = news(runRecord({verifications: [{...check('npm test'), exit_code: 1, tail}]}));
  expect(lines).toEqual([
    '  ✗ npm test exit 1 1.0s',
    ...[13, 14, 15, 16, 17, 18, 19].map((line) => `    line ${line}`),
    '    last',
    '  ↩ back to the agent',
  ]);
});
