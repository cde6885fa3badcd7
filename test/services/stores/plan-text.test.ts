import {readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {
  addDep,
  addTask,
  deleteTask,
  editTask,
  moveTask,
  removeDep,
} from '../../../src/machines/policies/plan/plan-edits.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import {checkRawPlan} from '../../../src/machines/policies/plan/plan-validation.ts';
import type {Plan} from '../../../src/services/contracts/plan.ts';
import {readPlanText, splicePlan, writePlanText} from '../../../src/services/stores/plan-text.ts';
import {hugeChain, made, now, planOf, promptly, task, taskIn} from '../../helpers/plans.ts';

const goPlan = readFileSync(path.resolve(import.meta.dirname, '../../fixtures/plans/go-plan.json'), 'utf8');

function readPlan(text: string): Plan {
  const check = checkRawPlan(readPlanText(JSON.parse(text), text));
  if ('problems' in check) throw new Error(JSON.stringify(check.problems));
  return check.plan;
}

/** The text after a change, read afresh so that nothing is cached. */
function changed(text: string, change: (plan: Plan) => Plan): string {
  const plan = readPlan(text);
  const after = change(plan);
  const written = writePlanText(after, text, plan);
  // When the fast path has an answer, it is the same.
  expect(splicePlan(after, Buffer.from(text), plan)?.toString() ?? written).toBe(written);
  return written;
}

/** Lines that only one of two texts has, each with the key of its item. */
function differentLines(before: string, after: string): {removed: string[]; added: string[]} {
  const [a, b] = [before.split('\n'), after.split('\n')];
  expect(b.length).toBe(a.length);
  let item = '';
  const places = a.flatMap((line, index) => {
    item = /^ {4}"(.+)": \{$/.exec(line)?.[1] ?? item;
    return line === b[index] ? [] : [{item, index}];
  });
  const shown = (lines: string[]) => places.map((place) => `${place.item}: ${lines[place.index]?.trim()}`);
  return {removed: shown(a), added: shown(b)};
}

describe('a change inside a few tasks', () => {
  const text = writePlanText(
    planOf(task('ä', {title: 'Größe 📏'}), task('b', {description: '…'}), task('c')),
    null,
    null,
  );
  const splice = (change: (plan: Plan) => Plan, from = text) => {
    const plan = readPlan(from);
    return splicePlan(change(plan), Buffer.from(from), plan)?.toString() ?? null;
  };
  const done = (id: string) => (plan: Plan) => setStatus(plan, id, 'done', now);

  test('is made in the bytes, whatever surrounds it', () => {
    for (const id of ['ä', 'b', 'c']) {
      expect(splice(done(id))).toBe(changed(text, done(id)));
      expect(splice(done(id))).toContain('"title": "Größe 📏"');
    }
    expect(splice((plan) => done('b')(done('ä')(plan)))).toBe(
      changed(text, (plan) => done('b')(done('ä')(plan))),
    );
  });

  test('takes the slow path when a task was added, moved or removed, or its text is there twice', () => {
    expect(splice((plan) => ({...plan, items: new Map([...plan.items].reverse())}))).toBeNull();
    expect(splice((plan) => ({...plan, items: new Map([...plan.items].slice(1))}))).toBeNull();
    const copied = text.replace('"items": {', () => {
      const [, own] = /"c": (\{[^}]*\})/.exec(text) ?? [];
      return `"backup": ${own},\n  "items": {`;
    });
    expect(splice(done('c'), copied)).toBeNull();
    expect(JSON.parse(changed(copied, done('c')))).toMatchObject({
      backup: {status: 'todo'},
      items: {c: {status: 'done'}},
    });
  });
});

describe('a plan of the Go program', () => {
  test('is read in the order of its text', () => {
    expect([...readPlan(goPlan).items.keys()]).toEqual(['10', '2', '__proto__', 'w_0a1b2c3d4e5f']);
  });

  test('is written back byte for byte when nothing changed', () => {
    expect(changed(goPlan, (plan) => ({...plan}))).toBe(goPlan);
    expect(changed(goPlan, (plan) => ({...plan, items: new Map(structuredClone([...plan.items]))}))).toBe(
      goPlan,
    );
  });

  test('differs after one status only in that item’s status and time', () => {
    expect(
      differentLines(
        goPlan,
        changed(goPlan, (plan) => setStatus(plan, '2', 'in_progress', now)),
      ),
    ).toEqual({
      removed: ['2: "status": "todo",', '2: "updatedAt": "2026-01-31T09:15:02.123456789Z",'],
      added: ['2: "status": "in_progress",', `2: "updatedAt": "${now}",`],
    });
  });

  test('differs after the last child only in the child and in the parent it completes', () => {
    expect(
      differentLines(
        goPlan,
        changed(goPlan, (plan) => setStatus(plan, '2', 'done', now)),
      ),
    ).toEqual({
      removed: [
        '2: "status": "todo",',
        '2: "updatedAt": "2026-01-31T09:15:02.123456789Z",',
        'w_0a1b2c3d4e5f: "status": "todo",',
        'w_0a1b2c3d4e5f: "updatedAt": "2026-01-31T09:15:02.1Z"',
      ],
      added: [
        '2: "status": "done",',
        `2: "updatedAt": "${now}",`,
        'w_0a1b2c3d4e5f: "status": "done",',
        `w_0a1b2c3d4e5f: "updatedAt": "${now}"`,
      ],
    });
  });

  test('keeps unknown fields of the item that changes, as they were written', () => {
    expect(
      differentLines(
        goPlan,
        changed(goPlan, (plan) => setStatus(plan, '10', 'failed', now)),
      ),
    ).toEqual({
      removed: ['10: "status": "done",', '10: "updatedAt": "2026-01-31T10:00:00.000000001Z",'],
      added: ['10: "status": "failed",', `10: "updatedAt": "${now}",`],
    });
  });

  test('differs only in __proto__ when that changes', () => {
    expect(
      differentLines(
        goPlan,
        changed(goPlan, (plan) => setStatus(plan, '__proto__', 'todo', now)),
      ),
    ).toEqual({
      removed: ['__proto__: "status": "blocked",', '__proto__: "updatedAt": "2026-01-31T09:15:02Z"'],
      added: ['__proto__: "status": "todo",', `__proto__: "updatedAt": "${now}"`],
    });
  });

  test('is the same again after an undo, except for the time', () => {
    const there = changed(goPlan, (plan) => setStatus(plan, '2', 'blocked', now));
    const back = changed(there, (plan) => setStatus(plan, '2', 'todo', '2026-01-31T09:15:02.123456789Z'));
    expect(back).toBe(goPlan);
  });

  test('writes new text as Go does', () => {
    const next = changed(goPlan, (plan) => editTask(plan, '2', {title: '<b> & "c" \u2028', notes: 'n'}, now));
    const lines = next.split('\n');
    expect(lines[24]).toBe(String.raw`      "title": "\u003cb\u003e \u0026 \"c\" \u2028",`);
    expect(lines.slice(35, 41)).toEqual([
      `      "updatedAt": "${now}",`,
      '      "depRationale": {',
      '        "10": "needs the parser\'s types"',
      '      },',
      '      "notes": "n"',
      '    },',
    ]);
  });

  test.each<{name: string; change: (plan: Plan) => Plan}>([
    {name: 'an added dependency', change: (plan) => addDep(plan, '__proto__', '2', now)},
    {name: 'a removed dependency', change: (plan) => removeDep(plan, '2', '10', now)},
    {
      name: 'a new task',
      change: (plan) => addTask(plan, {id: 'new', title: 'New', parentId: 'w_0a1b2c3d4e5f'}, now),
    },
    {
      name: 'a removed task',
      change: (plan) => deleteTask(plan, '__proto__', {cascade: false, force: false}, now).plan,
    },
    {name: 'a moved task', change: (plan) => moveTask(plan, '2', {parentId: null, index: 0}, now)},
  ])('keeps the bytes of every other item: $name', ({change}) => {
    const before = readPlan(goPlan);
    const after = change(before);
    const text = writePlanText(after, goPlan, before);
    for (const [id, each] of after.items) {
      if (before.items.get(id) === each) expect(text).toContain(itemText(goPlan, id));
    }
    expect(readPlan(text)).toEqual(after);
    expect([...readPlan(text).items.keys()]).toEqual([...after.items.keys()]);
    expect(text).toContain('  "x-tool": {\n    "name": "planner",\n    "tags": ["a","b"]\n  }\n}\n');
    expect(text.startsWith('{\n  "schemaVersion": 1,\n  "items": {\n    "')).toBe(true);
  });
});

describe('a plan in another layout', () => {
  const layouts = [
    {name: 'on one line', of: (value: unknown) => JSON.stringify(value)},
    {name: 'with four spaces and no final newline', of: (value: unknown) => JSON.stringify(value, null, 4)},
    {name: 'with tabs', of: (value: unknown) => `${JSON.stringify(value, null, '\t')}\n\n`},
    {
      name: 'with Windows line endings',
      of: (value: unknown) => `\r\n${JSON.stringify(value, null, 2).replaceAll('\n', '\r\n')}\r\n`,
    },
  ];
  test.each(layouts)('$name keeps it, except for what changes', ({of}) => {
    const json = (status: string, updatedAt: string) => ({
      owner: 'me',
      items: {a: {...task('a'), priority: 1, status, updatedAt}, b: task('b')},
      schemaVersion: 1,
    });
    const text = of(json('todo', made));
    expect(changed(text, (plan) => setStatus(plan, 'a', 'done', now))).toBe(of(json('done', now)));
  });
});

describe('a new plan', () => {
  test('without tasks', () => {
    expect(writePlanText(planOf(), null, null)).toBe('{\n  "schemaVersion": 1,\n  "items": {}\n}\n');
  });

  test('with a task', () => {
    expect(writePlanText(planOf(task('10', {deps: ['a']})), null, null)).toBe(`{
  "schemaVersion": 1,
  "items": {
    "10": {
      "id": "10",
      "title": "Task 10",
      "description": "",
      "acceptanceCriteria": [],
      "prompt": "",
      "parentId": null,
      "childIds": [],
      "deps": [
        "a"
      ],
      "status": "todo",
      "createdAt": "${made}",
      "updatedAt": "${made}"
    }
  }
}
`);
  });

  test('in place of another takes nothing from its root', () => {
    expect(writePlanText(planOf(), goPlan, null)).toBe('{\n  "schemaVersion": 1,\n  "items": {}\n}\n');
  });
});

describe('a text that is not a plan', () => {
  test.each([
    {text: '{}', raw: {root: {}, items: null}},
    {text: '{"items": null}', raw: {root: {}, items: null}},
    {text: '{"items": [], "schemaVersion": 1}', raw: {root: {schemaVersion: 1}, items: null}},
    {text: '{"items": "x"}', raw: {root: {}, items: null}},
    {
      text: '{"items": {"a": 1, "10": [], "2": null}}',
      raw: {
        root: {},
        items: [
          ['a', 1],
          ['10', []],
          ['2', null],
        ],
      },
    },
    {text: '{"items": {"a": 1}, "items": {"b": 2}}', raw: {root: {}, items: [['b', 2]]}},
    {
      text: '{"items": {"a": 1, "a": 2}}',
      raw: {
        root: {},
        items: [
          ['a', 2],
          ['a', 2],
        ],
      },
    },
  ])('$text', ({text, raw}) => {
    expect(readPlanText(JSON.parse(text), text)).toEqual(raw);
  });
});

test('a huge plan is read and written in reasonable time', () => {
  const text = promptly(() => writePlanText(hugeChain(), null, null), 20_000);
  const plan = promptly(() => readPlan(text), 20_000);
  const next = setStatus(plan, 't5', 'done', now);
  const after = promptly(() => writePlanText(next, text, plan), 20_000);
  expect(after.length).toBe(text.length - made.length + now.length);
  expect(taskIn(readPlan(after), 't5').status).toBe('done');
});

/** An item as it is in a text of the Go layout. */
function itemText(text: string, id: string): string {
  const start = text.indexOf(`    ${JSON.stringify(id)}: {\n`);
  return text.slice(start, text.indexOf('\n    }', start) + 6);
}
