import {createHash} from 'node:crypto';
import {readdirSync, readFileSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {csvPlan} from '../../src/machines/policies/exchange/csv-plan.ts';
import {type ImportFormat, importFormats} from '../../src/machines/policies/exchange/import-formats.ts';
import {markdownPlan} from '../../src/machines/policies/exchange/markdown-plan.ts';
import {mergeImport} from '../../src/machines/policies/exchange/merge-import.ts';
import {readImport} from '../../src/machines/policies/exchange/read-import.ts';
import {checkPlanChange} from '../../src/machines/policies/plan/plan-validation.ts';
import {readPlanAnswer} from '../../src/machines/policies/planning/check-plan-answer.ts';
import {checkReviewAnswer} from '../../src/machines/policies/review/check-review-answer.ts';
import {askedQuestions} from '../../src/machines/policies/run/asked-questions.ts';
import {verifyEntries} from '../../src/machines/replay.ts';
import {AppError} from '../../src/services/contracts/errors.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import {planKinds} from '../../src/services/contracts/plan-answer.ts';
import {bundledEntries, readBundle} from '../../src/services/journal/bundle-file.ts';
import {inspectJournal, readJournalLines} from '../../src/services/journal/read-journal.ts';
import fc from '../helpers/fast-check.ts';
import {now, planOf, promptly, task} from '../helpers/plans.ts';
import {temporaryFolder} from '../helpers/temp-folder.ts';
import {fuzz} from './fuzz.ts';
import {changedBytes, changedJson, jsonLike, texts} from './hostile.ts';

/** The answer, or null when it is refused by name. Anything else that is thrown is a bug. */
function answerOf<T>(job: () => T): T | null {
  try {
    return promptly(job);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

/** An answer in prose, in a fence, twice, cut, with others around it. */
function answersLike(sample: object): fc.Arbitrary<string> {
  const json = changedJson(sample).map((value) => JSON.stringify(value) ?? '');
  const near = fc.oneof(
    fc.constant(JSON.stringify(sample)),
    json,
    changedBytes(JSON.stringify(sample)).map((bytes) => bytes.toString('utf8')),
    fc
      .constantFrom(20, 5_000, 20_000)
      .map((depth) => JSON.stringify(sample).replace(/\[/, '['.repeat(depth))),
    fc
      .nat(20_000)
      .map((depth) => `{"questions":[],"passed":true,"x":${'['.repeat(depth)}${']'.repeat(depth)}}`),
  );
  const around = fc.oneof(
    fc.constantFrom('', '```json\n', '\n```\n', '{', '}', '{{'.repeat(2_000), '"'.repeat(999)),
    texts,
  );
  return fc
    .array(fc.tuple(around, near, around), {minLength: 1, maxLength: 3})
    .map((parts) => parts.flat().join(''));
}

describe('what an agent answers is parsed strictly, or is not an answer', () => {
  const review = {
    passed: false,
    resumeTaskIds: ['a'],
    feedbackForResume: 'again',
    reviewResults: [{taskId: 'a', status: 'failed', feedback: 'no'}],
  };

  test('the verdict of a parent review', () => {
    fuzz(
      fc.property(answersLike(review), (text) => {
        const checked = promptly(() => checkReviewAnswer(text, ['a', 'b']));
        if ('problem' in checked) return;
        const {passed, resumeTaskIds} = checked.answer;
        expect(passed).toBe(resumeTaskIds.length === 0);
        for (const id of resumeTaskIds) expect(['a', 'b']).toContain(id);
      }),
      150,
    );
  });

  const proposed = {
    id: 'a',
    parentId: null,
    title: 'A',
    description: '',
    acceptanceCriteria: ['x'],
    prompt: '',
    deps: [],
  };
  const plans = {
    generate: {questions: [], tasks: [proposed]},
    refine: {
      questions: [],
      operations: [
        {op: 'add', task: proposed, index: 0},
        {op: 'edit', id: 'a', title: 'B'},
        {op: 'move', id: 'a', parentId: null, index: null},
        {op: 'delete', id: 'a'},
        {op: 'set_deps', id: 'a', deps: []},
      ],
    },
    deps: {questions: [], dependencies: [{id: 'a', deps: [{id: 'b', reason: 'first'}]}]},
  };

  test.each(planKinds)('what a planner proposes (%s)', (kind) => {
    fuzz(
      fc.property(answersLike(plans[kind]), (text) => {
        const read = promptly(() => readPlanAnswer(kind, text));
        if (read.type === 'unusable') expect(read.problems.length).toBeGreaterThan(0);
        if (read.type === 'operations') JSON.stringify(read.operations);
      }),
      80,
    );
  });

  test('the questions of a run', () => {
    const asked = {blackbird: {questions: [{id: 'q', prompt: 'Which?', options: ['a', 'b']}]}};
    fuzz(
      fc.property(answersLike(asked), (text) => {
        for (const {id, prompt} of promptly(() => askedQuestions(text))) {
          expect(id).not.toBe('');
          expect(prompt).not.toBe('');
        }
      }),
      150,
    );
  });
});

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
const plan = planOf(
  task('a', {title: 'First', description: 'Some words.', acceptanceCriteria: ['it holds'], prompt: 'Do it.'}),
  task('b', {title: 'Second', deps: ['a'], verify: ['npm test'], notes: 'careful\nhere'}),
);

const lists: Readonly<Record<ImportFormat, string>> = {
  md: markdownPlan(plan),
  csv: csvPlan(plan),
  'task-master': JSON.stringify({
    tasks: [
      {id: 1, title: 'One', status: 'done', subtasks: [{id: 1, title: 'Sub', dependencies: []}]},
      {id: 2, title: 'Two', description: 'x', details: 'y', testStrategy: 'z', dependencies: [1, '1.1']},
    ],
  }),
  issues: JSON.stringify([
    {number: 1, title: 'One', body: '- [ ] holds\nDepends on #2', labels: [{name: 'x'}], state: 'OPEN'},
    {number: 2, title: 'Two', body: null, labels: [], state: 'CLOSED'},
  ]),
};

describe('a list of tasks', () => {
  test.each(importFormats)(
    'as %s is imported or refused by name; a second import changes nothing',
    (format) => {
      const sample = lists[format];
      const isJson = format === 'issues' || format === 'task-master';
      const near = fc.oneof(
        changedBytes(sample).map((bytes) => bytes.toString('utf8')),
        ...(isJson ? [jsonLike(sample).map((bytes) => bytes.toString('utf8'))] : []),
        fc
          .array(fc.oneof(fc.constantFrom(...sample.split(/(?<=\n)/)), texts), {maxLength: 12})
          .map((parts) => parts.join('')),
      );
      const importTo = (into: Plan, text: string) => {
        const {list} = readImport({text, name: null, format, digest});
        return 'problems' in list ? null : mergeImport(into, list.tasks, {source: 'list', digest}, now).plan;
      };
      fuzz(
        fc.property(near, (text) => {
          answerOf(() => readImport({text, name: null, digest}));
          const once = answerOf(() => importTo(plan, text));
          if (once === null) return;
          expect(checkPlanChange(plan, once)).toEqual([]);
          const isTwiceTheSame = answerOf(() => importTo(once, text));
          expect(isTwiceTheSame?.items).toEqual(once.items);
        }),
        100,
      );
    },
  );
});

describe('a journal', () => {
  const runs = path.join(import.meta.dirname, '../fixtures/upgrade/0.1.0/.blackbird/runs/slow');
  const name = readdirSync(runs).find((file) => file.endsWith('.journal.jsonl')) ?? '';
  const lines = readFileSync(path.join(runs, name), 'utf8').trim().split('\n');
  const line = fc.constantFrom(...lines).chain((sample) =>
    fc.oneof(
      fc.constant(Buffer.from(sample)),
      changedJson(JSON.parse(sample)).map((json) => Buffer.from(JSON.stringify(json) ?? '')),
      jsonLike(sample),
    ),
  );
  const journals = fc.array(line, {maxLength: 8}).map((parts) => {
    const begin = lines.slice(0, 4).map((text) => Buffer.from(text));
    return Buffer.concat([...begin, ...parts].flatMap((part) => [part, Buffer.from('\n')]));
  });

  test('is read line by line, whatever it contains, and its replay ends', () => {
    const file = path.join(temporaryFolder(), 'journal.jsonl');
    fuzz(
      fc.property(journals, (bytes) => {
        writeFileSync(file, bytes);
        const source = inspectJournal(file);
        const {entries, compared} = promptly(() => verifyEntries(source.entries()));
        expect(compared).toBeLessThanOrEqual(entries);
        expect(readJournalLines(file)?.broken).toEqual(source.summary().broken);
        expect(readFileSync(file).equals(bytes)).toBe(true);
      }),
      40,
    );
  });

  test('in a bundle that someone sent', () => {
    const file = path.join(temporaryFolder(), 'bundle.json');
    const bundle = {
      kind: 'blackbird-bundle',
      format: 1,
      task_id: 'slow',
      versions: {blackbird: '0.1.0'},
      runs: [],
      journals: [{run_id: 'slow-1', lines: lines.slice(0, 6).map((text) => JSON.parse(text))}],
    };
    fuzz(
      fc.property(jsonLike(JSON.stringify(bundle)), (bytes) => {
        writeFileSync(file, bytes);
        answerOf(() => verifyEntries(bundledEntries(readBundle(file))));
        expect(readFileSync(file).equals(bytes)).toBe(true);
      }),
      100,
    );
  });
});
