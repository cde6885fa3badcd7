import {createHash} from 'node:crypto';
import {describe, expect, test} from 'vitest';
import {csvPlan} from '../../../src/machines/policies/exchange/csv-plan.ts';
import {markdownPlan} from '../../../src/machines/policies/exchange/markdown-plan.ts';
import {importRefusal, mergeImport} from '../../../src/machines/policies/exchange/merge-import.ts';
import {mermaidPlan} from '../../../src/machines/policies/exchange/mermaid-plan.ts';
import {readImport} from '../../../src/machines/policies/exchange/read-import.ts';
import {editTask, moveTask, setDeps} from '../../../src/machines/policies/plan/plan-edits.ts';
import {tasksInTreeOrder} from '../../../src/machines/policies/plan/plan-graph.ts';
import {setStatus} from '../../../src/machines/policies/plan/plan-status.ts';
import type {Plan, Task} from '../../../src/services/contracts/plan.ts';
import {errorOf} from '../../helpers/errors.ts';
import fc from '../../helpers/fast-check.ts';
import {family, now, planOf, task, taskIn} from '../../helpers/plans.ts';
import {controlCharacters} from '../../helpers/run-cli.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);

function imported(
  text: string,
  {into = planOf(), name = 'list.md', tag}: {into?: Plan; name?: string | null; tag?: string} = {},
): Plan {
  const {list} = readImport({text, name, digest, ...(tag === undefined ? {} : {tag})});
  if ('problems' in list) throw importRefusal(list.problems);
  return mergeImport(into, list.tasks, {source: name ?? 'stdin', digest}, now).plan;
}
function keptOf(text: string, into: Plan, name: string | null = 'list.md') {
  const {list} = readImport({text, name, digest});
  return 'problems' in list ? [] : mergeImport(into, list.tasks, {source: name ?? 'stdin', digest}, now).kept;
}
const details = (text: string, options: Parameters<typeof imported>[1] = {}) =>
  errorOf(() => imported(text, options)).details.map(([at, message]) => `${at}: ${message}`);

/** Tree, status, dependencies: `  b done (a)`. */
const outline = (plan: Plan) =>
  tasksInTreeOrder(plan).map(({task: {id, status, deps}, depth}) => {
    const state = status === 'todo' ? '' : ` ${status}`;
    return `${'  '.repeat(depth)}${id}${state}${deps.length === 0 ? '' : ` (${deps.join(', ')})`}`;
  });

const markdown = `# To do

Some words first, and \`\`\`- [ ] not this\`\`\`.

- [ ] Build the API
  What it is about,
  in two lines.
  - answers with 200
  - refuses nonsense
  - [x] Schema
    - [ ] Deep one
  - [-] Old idea
1. [ ] Build the API
* [ ] Ship it <!-- id: ship; agent: codex -->
  Waits for: ship-docs
  Prompt:
  > Do it.
  >
  > - [ ] not a task
- [X] Docs <!-- id: ship-docs -->
\`\`\`
- [ ] in a fence
\`\`\`
`;

describe('a Markdown list', () => {
  test('becomes a tree of tasks, each with the text below it', () => {
    const plan = imported(markdown);
    expect(outline(plan)).toEqual([
      'build-the-api',
      '  schema',
      '    deep-one',
      '  old-idea skipped',
      'build-the-api-2',
      'ship (ship-docs)',
      'ship-docs done',
    ]);
    expect(taskIn(plan, 'build-the-api')).toMatchObject({
      title: 'Build the API',
      description: 'What it is about,\nin two lines.',
      acceptanceCriteria: ['answers with 200', 'refuses nonsense'],
      source: {key: expect.stringMatching(/^list\.md#[0-9a-f]{16}$/)},
    });
    expect(taskIn(plan, 'ship')).toMatchObject({agent: 'codex', prompt: 'Do it.\n\n- [ ] not a task'});
    expect(taskIn(plan, 'ship').source).toBeUndefined();
  });

  test('without checkboxes becomes tasks throughout', () => {
    expect(outline(imported('- a\n\t- b\n\t\t- c\n- d\r\n'))).toEqual(['a', '  b', '    c', 'd']);
  });

  test('imported twice changes nothing, whatever changed in the plan since', () => {
    const first = imported(markdown);
    expect(imported(markdown, {into: first})).toBe(first);
    let later = setStatus(first, 'deep-one', 'failed', now);
    later = editTask(later, 'build-the-api-2', {title: 'Mine', description: 'mine'}, now);
    later = moveTask(later, 'build-the-api-2', {parentId: null, index: 0}, now);
    expect(imported(markdown, {into: later})).toBe(later);
  });

  test('with new items adds them, and updates what it changed', () => {
    const first = setStatus(imported('- [ ] One\n- [ ] Two\n  text\n- [ ] Three'), 'two', 'failed', now);
    const next = imported('- [x] One\n- [ ] New\n- [x] Two\n  other\n- [ ] Three\n  - [ ] Child', {
      into: first,
    });
    expect(outline(next)).toEqual(['one done', 'new', 'two failed', 'three', '  child']);
    expect(taskIn(next, 'two').description).toBe('other');
  });

  test('updates only the fields that it changed, or all of them when only the whole item was remembered', () => {
    const list = (text: string) => `- [ ] Parent\n  - [ ] Child a\n    ${text}\n- [ ] Other`;
    const first = imported(list('first words'));
    let mine = editTask(first, 'child-a', {title: 'My own title'}, now);
    mine = moveTask(mine, 'child-a', {parentId: 'other'}, now);
    const next = imported(list('other words'), {into: mine});
    const {title, description, parentId} = taskIn(next, 'child-a');
    expect({title, description, parentId}).toEqual({
      title: 'My own title',
      description: 'other words',
      parentId: 'other',
    });
    expect(imported(list('other words'), {into: next})).toBe(next);

    const {fields: _, ...whole} = taskIn(mine, 'child-a').source ?? {key: '', digest: ''};
    const old = new Map(mine.items).set('child-a', {...taskIn(mine, 'child-a'), source: whole});
    const after = taskIn(imported(list('other words'), {into: {...mine, items: old}}), 'child-a');
    expect(after).toMatchObject({title: 'Child a', description: 'other words', parentId: 'parent'});
    expect(after.source?.fields).toEqual(taskIn(next, 'child-a').source?.fields);
  });

  test('with a change to a field that also changed in the plan leaves that field, reports it, and updates the rest', () => {
    const list = (text: string, prompt: string) =>
      `- [ ] One\n  ${text}\n  Prompt:\n  > ${prompt}\n- [ ] Two\n  other`;
    const mine = editTask(imported(list('first', 'do')), 'one', {description: 'mine', notes: 'a note'}, now);
    const text = list('second', 'do more');
    expect(keptOf(text, mine)).toEqual([
      {id: 'one', at: 'line 1', field: 'description', here: 'mine', list: 'second'},
    ]);
    const next = imported(text, {into: mine});
    expect(taskIn(next, 'one')).toMatchObject({description: 'mine', prompt: 'do more', notes: 'a note'});
    expect(imported(text, {into: next})).toBe(next);
    expect(keptOf(list('third', 'do more'), next)).toMatchObject([{here: 'mine', list: 'third'}]);
    // Both have the same value now, so the field follows the list again.
    const agreed = editTask(next, 'one', {description: 'second'}, now);
    expect(keptOf(list('third', 'do more'), agreed)).toEqual([]);
    expect(taskIn(imported(list('third', 'do more'), {into: agreed}), 'one').description).toBe('third');
  });

  test('with a field for the first time fills it when it is empty, and keeps what the plan has', () => {
    const first = imported('- [ ] One\n- [ ] Two');
    const mine = editTask(first, 'two', {description: 'mine'}, now);
    const text = '- [ ] One\n  words\n- [ ] Two\n  words';
    expect(keptOf(text, mine)).toEqual([
      {id: 'two', at: 'line 3', field: 'description', here: 'mine', list: 'words'},
    ]);
    expect(taskIn(imported(text, {into: mine}), 'one').description).toBe('words');
    // It was in the list, then not, then again, and the plan never changed it.
    const gone = imported('- [ ] One\n- [ ] Two', {into: imported(text, {into: first})});
    expect(taskIn(gone, 'one').description).toBe('words');
    expect(keptOf(text.replaceAll('words', 'others'), gone)).toEqual([]);
  });

  test('with the same text in another file is another list', () => {
    const first = imported('- [ ] One');
    expect(outline(imported('- [ ] One', {into: first, name: 'other.md'}))).toEqual(['one', 'one-2']);
  });
});

test('issues: the number identifies an issue, closed is done, checkboxes are criteria', () => {
  const issues = [
    {
      number: 12,
      title: 'Crash',
      body: 'It crashes.\r\n- [ ] no crash\nDepends on #9, #7 and #99',
      labels: [{name: 'bug'}],
      state: 'OPEN',
    },
    {number: 9, title: 'Parser', body: null, labels: [], state: 'CLOSED'},
    {number: 7, title: 'Lexer', body: 'Blocked by: #7', labels: [], state: 'OPEN'},
  ];
  const plan = imported(JSON.stringify(issues), {name: null});
  expect(outline(plan)).toEqual(['issue-12 (issue-9, issue-7)', 'issue-9 done', 'issue-7']);
  expect(taskIn(plan, 'issue-12')).toMatchObject({
    description: 'It crashes.\n- [ ] no crash\nDepends on #9, #7 and #99',
    acceptanceCriteria: ['no crash'],
    notes: 'labels: bug',
  });
  expect(imported(JSON.stringify(issues), {into: plan, name: null})).toBe(plan);
  const closed = issues.map((issue) => ({...issue, state: 'CLOSED'}));
  const busy = setStatus(plan, 'issue-12', 'in_progress', now);
  expect(outline(imported(JSON.stringify(closed), {into: busy, name: null}))).toEqual([
    'issue-12 in_progress (issue-9, issue-7)',
    'issue-9 done',
    'issue-7 done',
  ]);
});

test("titles and dependencies that changed both in the plan and in the list keep the plan's value", () => {
  const issue = (number: number, title: string, body = '') => ({
    number,
    title,
    body,
    labels: [],
    state: 'OPEN',
  });
  const issues = (title: string, body: string) =>
    JSON.stringify([issue(1, title, body), issue(2, 'Two'), issue(3, 'Three')]);
  const first = imported(issues('One', 'Depends on #2'), {name: null});
  const changed = issues('One more', 'Depends on #2, #3');
  expect(keptOf(changed, first, null)).toEqual([]);
  expect(outline(imported(changed, {into: first, name: null}))[0]).toBe('issue-1 (issue-2, issue-3)');
  const mine = setDeps(editTask(first, 'issue-1', {title: 'Mine'}, now), 'issue-1', [], now);
  expect(keptOf(changed, mine, null)).toEqual([
    {id: 'issue-1', at: 'issue #1', field: 'title', here: 'Mine', list: 'One more'},
    {id: 'issue-1', at: 'issue #1', field: 'deps', here: [], list: ['issue-2', 'issue-3']},
  ]);
  expect(outline(imported(changed, {into: mine, name: null}))[0]).toBe('issue-1');
});

test('dependencies follow the list when a task is gone from it, and those added in the plan stay', () => {
  const issue = (number: number, body = '') => ({
    number,
    title: `T${number}`,
    body,
    labels: [],
    state: 'OPEN',
  });
  const all = [issue(1, 'Depends on #2, #3'), issue(2), issue(3), issue(4)];
  const into = planOf(task('a'));
  const first = imported(JSON.stringify(all), {into, name: null});
  const added = setDeps(first, 'issue-1', ['issue-2', 'issue-3', 'a'], now);
  const closed = imported(JSON.stringify(all.filter(({number}) => number !== 2)), {into: added, name: null});
  expect(taskIn(closed, 'issue-1').deps).toEqual(['issue-3', 'issue-2', 'a']);
  const more = JSON.stringify([issue(1, 'Depends on #2, #3, #4'), issue(3), issue(4)]);
  expect(keptOf(more, closed, null)).toEqual([]);
  const next = imported(more, {into: closed, name: null});
  expect(taskIn(next, 'issue-1').deps).toEqual(['issue-3', 'issue-4', 'issue-2', 'a']);
});

test("a parent that changed both in the plan and in the list keeps the plan's value", () => {
  const csv = (parent: string) => `title,parent\nOne,${parent}\n`;
  const keyed = (parent: string) =>
    imported(csv(parent), {into: planOf(task('a'), task('b')), name: 'x.csv'});
  // A list whose title names a task below its parent makes a new task of it, so only the marker identifies it here.
  const {list} = readImport({text: csv('b'), name: 'x.csv', digest});
  const row = 'tasks' in list ? list.tasks[0] : undefined;
  const key = taskIn(keyed('a'), 'one').source?.key.slice('x.csv#'.length) ?? '';
  if (row === undefined) throw new Error('no row');
  const merge = (plan: Plan) => mergeImport(plan, [{...row, key}], {source: 'x.csv', digest}, now);
  expect(taskIn(merge(keyed('a')).plan, 'one').parentId).toBe('b');
  const mine = moveTask(keyed('a'), 'one', {parentId: null}, now);
  expect(merge(mine).kept).toEqual([{id: 'one', at: 'row 2', field: 'parent', here: null, list: 'b'}]);
  expect(taskIn(merge(mine).plan, 'one').parentId).toBe(null);
});

describe('tasks.json of task-master', () => {
  const tasks = [
    {
      id: 1,
      title: 'Setup',
      description: 'd',
      details: 'how',
      testStrategy: 'run it',
      status: 'done',
      dependencies: [],
      subtasks: [],
    },
    {
      id: 2,
      title: 'Work',
      status: 'in-progress',
      dependencies: [1],
      subtasks: [
        {id: 1, title: 'First', status: 'pending', dependencies: []},
        {id: 2, title: 'Second', status: 'cancelled', dependencies: [1, '2', '1']},
      ],
    },
  ];

  test.each([
    {name: 'in the old layout', value: {tasks}, tag: undefined, prefix: ''},
    {
      name: 'under the tag master',
      value: {master: {tasks, metadata: {}}, other: {tasks: []}},
      tag: undefined,
      prefix: '',
    },
    {name: 'under the only tag', value: {feature: {tasks}}, tag: undefined, prefix: 'feature-'},
    {
      name: 'under the named tag',
      value: {master: {tasks: []}, feature: {tasks}},
      tag: 'feature',
      prefix: 'feature-',
    },
  ])('$name', ({value, tag, prefix}) => {
    const options = {name: 'tasks.json', ...(tag === undefined ? {} : {tag})};
    const plan = imported(JSON.stringify(value), options);
    expect(outline(plan)).toEqual([
      `${prefix}1 done`,
      `${prefix}2 (${prefix}1)`,
      `  ${prefix}2.1`,
      `  ${prefix}2.2 skipped (${prefix}2.1)`,
    ]);
    expect(taskIn(plan, `${prefix}1`)).toMatchObject({
      description: 'd',
      prompt: 'how',
      acceptanceCriteria: ['run it'],
    });
    expect(imported(JSON.stringify(value), {...options, into: plan})).toBe(plan);
  });

  test('with a tag that does not exist', () => {
    expect(details(JSON.stringify({a: {tasks}, b: {tasks}}), {name: 'tasks.json'})).toEqual([
      'tags: no tag "master"; choose one with --tag: a, b',
    ]);
  });
});

test('CSV: columns by name, quotes, parents that come later', () => {
  const csv =
    'ID,Name,Parent,Depends on,Status,Owner\r\nb,"B, the ""second""",p,a,Closed,me\na,A,p,,,\np,P,,,,\n,No id,p,a;b,,\n';
  const plan = imported(csv, {name: 'list.csv'});
  expect(outline(plan)).toEqual(['p', '  b done (a)', '  a', '  no-id (a, b)']);
  expect(taskIn(plan, 'b').title).toBe('B, the "second"');
  expect(imported(csv, {name: 'list.csv', into: plan})).toBe(plan);
});

describe('a dependency named by the title of exactly one task', () => {
  test('is resolved, and a second import changes nothing', () => {
    const text = [
      '- [ ] Refund endpoint',
      '- [ ] Build it <!-- id: build -->',
      '- [ ] Ship',
      '  Waits for: Refund endpoint, build it!, Old task',
    ].join('\n');
    const into = planOf(task('old', {title: 'Old task'}));
    const plan = imported(text, {name: 'list.md', into});
    expect(taskIn(plan, 'ship').deps).toEqual(['refund-endpoint', 'build', 'old']);
    expect(imported(text, {name: 'list.md', into: plan})).toBe(plan);
  });

  test('is removed once the list no longer names it', () => {
    const text = '- [ ] Store\n- [ ] Test\n- [ ] Ship\n  Waits for: Store, Test';
    const plan = imported(text, {name: 'list.md'});
    const after = imported(text.replace(', Test', ''), {name: 'list.md', into: plan});
    expect(taskIn(after, 'ship').deps).toEqual(['store']);
  });

  test('an id takes precedence over a title', () => {
    const text = '- [ ] One <!-- id: a -->\n- [ ] a\n- [ ] Two\n  Waits for: a';
    expect(taskIn(imported(text, {name: 'list.md'}), 'two').deps).toEqual(['a']);
  });

  test('works in a table too, where ids are separated by spaces', () => {
    const csv =
      'title,id,deps\nRefund endpoint,,\nSchema,schema,\nStore,store,\nShip,ship,"Refund endpoint, schema store"\n';
    expect(taskIn(imported(csv, {name: 'list.csv'}), 'ship').deps).toEqual([
      'refund-endpoint',
      'schema',
      'store',
    ]);
  });
});

test('a table reports the columns that are not read, and suggests what was meant', () => {
  const text = 'id,title,dep,Depnds On,criteria,note,Acceptance,owner,\na,A,,,x,,,Ann,\nb,B,a,,,,,,\n';
  const {list} = readImport({text, name: 'tasks.csv', digest});
  expect(list).toMatchObject({
    tasks: [
      {id: 'a', deps: [], fields: {acceptanceCriteria: ['x']}},
      {id: 'b', deps: ['id:a']},
    ],
    ignored: [
      'the column "Depnds On" is not read (did you mean deps?)',
      'the column "note" is not read (did you mean notes?)',
      'the column "Acceptance" is not read (did you mean acceptance_criteria?)',
      'the column "owner" is not read (known: id, parent, title, status, deps, description, acceptance_criteria, prompt, notes, verify, agent, model, effort)',
    ],
  });
  expect(readImport({text: 'id,title\na,A\n', name: 'tasks.csv', digest}).list).not.toHaveProperty('ignored');
});

describe('a list that cannot be imported is refused with the place and the reason', () => {
  test.each<{name: string; text: string; file?: string | null; expected: string[]}>([
    {name: 'an empty list', text: 'just words', expected: ['file: there is no task in it']},
    {
      name: 'broken JSON',
      text: '[{',
      file: null,
      expected: [expect.stringMatching(/^file: it is not valid JSON/)],
    },
    {
      name: 'JSON of another shape',
      text: '{"a":1}',
      file: 'x.json',
      expected: ['file: this JSON is neither a tasks.json of task-master nor a list of issues'],
    },
    {
      name: 'no title column',
      text: 'a,b\n1,2',
      file: 'x.csv',
      expected: [expect.stringMatching(/^row 1: no column "title"/)],
    },
    {
      name: 'rows without title or status',
      text: 'title,status\n,todo\nx,what',
      file: 'x.csv',
      expected: ['row 2: title is required', 'row 3: unknown status "what"'],
    },
    {
      name: 'a comma that shifts the following columns',
      text: 'title,prompt,verify\nx,one, then rm -rf,\ny,"a, b"\nz,p,q',
      file: 'x.csv',
      expected: ['row 2: 4 fields, but the header has 3; put a field that holds a comma in "quotes"'],
    },
    {
      name: 'a repeated id',
      text: '- [ ] a <!-- id: x -->\n- [ ] b <!-- id: x -->',
      expected: ['line 2: the same id as line 1: "x"'],
    },
    {
      name: 'a repeated issue',
      text: '[{"number":1,"title":"a"},{"number":1,"title":"b"}]',
      file: null,
      expected: ['issue #1: the same id as issue #1: "1"'],
    },
    {
      name: 'an id that is a path',
      text: '- [ ] a <!-- id: ../x -->',
      expected: ['line 1: "../x" cannot be a task id'],
    },
    {
      name: 'unknown names',
      text: 'id,title,parent,deps\na,A,x,y',
      file: 'x.csv',
      expected: ['row 2: unknown parent "x"', 'row 2: unknown dependency "y"'],
    },
    {
      name: 'a dependency that nearly matches a title, or matches several',
      text: [
        '- [ ] Write the docs',
        '- [ ] Build it <!-- id: build -->',
        '- [ ] Ship',
        '  Waits for: Write docs, Buid it, Sell it, test it',
        '- [ ] Test it',
        '- [ ] Test it!',
      ].join('\n'),
      expected: [
        'line 3: dependency "test it" is the title of more than one task (line 5, line 6): give the one you mean an id (<!-- id: x --> behind its title in Markdown, the column id in a CSV) and name that',
        'line 3: unknown dependency "Write docs": did you mean "Write the docs" (line 1)?',
        'line 3: unknown dependency "Buid it": did you mean "Build it" (line 2)?',
        'line 3: unknown dependency "Sell it"',
      ],
    },
    {
      name: 'a cycle of dependencies',
      text: 'id,title,deps\na,A,b\nb,B,a',
      file: 'x.csv',
      expected: ['row 2, row 3: dependency cycle detected: a -> b -> a'],
    },
    {
      name: 'a cycle of parents',
      text: 'id,title,parent\na,A,b\nb,B,a',
      file: 'x.csv',
      expected: ['row 2, row 3: hierarchy cycle detected: a -> b -> a'],
    },
    {
      name: 'an invalid marker comment',
      text: '- [ ] a <!-- id: a -->\n  <!-- blackbird: {"description": 5, "deps": 7, "childIds": ["z"]} -->',
      expected: ['$.items["a"].description: must be a string'],
    },
  ])('$name', ({text, file, expected}) => {
    expect(details(text, {name: file === undefined ? 'list.md' : file})).toEqual(expected);
  });

  test('at most ten lines', () => {
    const rows = Array.from({length: 30}, (_, index) => `t${index},,`);
    expect(details(`id,title\n${rows.join('\n')}`, {name: 'x.csv'}).at(-1)).toBe('…: and 20 more');
  });
});

describe('export as', () => {
  const plan = planOf(
    family(
      task('p', {title: 'Parent', description: 'About\n\n- [ ] it', status: 'in_progress'}),
      task('a', {
        status: 'done',
        acceptanceCriteria: ['one', 'two'],
        verify: ['npm test -- --run'],
        notes: 'n',
      } as Partial<Task>),
      task('b', {
        status: 'failed',
        deps: ['a'],
        depRationale: {a: 'needs\nit'},
        prompt: 'Do\n  it',
        model: 'x',
      }),
    ),
    task('=evil', {
      title: '\u001b[2J "x", <b>#;\u202e',
      description: ' edges \n',
      acceptanceCriteria: ['[ ] box', '', '-->'],
    }),
    task('z', {title: 'End <!-- id: q -->', status: 'skipped', deps: ['=evil', 'p']}),
  );
  /** Runs are not exported, so nothing is in progress in the copy; empty values equal missing ones. */
  const essence = (each: Plan) =>
    tasksInTreeOrder(each).map(({task: {createdAt: _c, updatedAt: _u, ...rest}}) =>
      Object.fromEntries(
        Object.entries(rest).filter(
          ([, value]) => value != null && value !== '' && !['{}', '[]'].includes(JSON.stringify(value)),
        ),
      ),
    );

  test('Markdown is readable, and imports as the same plan', () => {
    const text = markdownPlan(plan);
    expect(text.split('\n').slice(0, 26)).toEqual([
      '- [ ] Parent <!-- id: p; status: in_progress -->',
      '',
      '  > About',
      '  >',
      '  > - [ ] it',
      '  - [x] Task a <!-- id: a -->',
      '',
      '    - one',
      '    - two',
      '',
      '    Verify:',
      '',
      '    - npm test -- --run',
      '',
      '    Notes:',
      '',
      '    > n',
      '  - [ ] Task b <!-- id: b; status: failed; model: x -->',
      '',
      '    Waits for: a',
      '',
      '    Prompt:',
      '',
      '    > Do',
      '    >   it',
      '',
    ]);
    expect(text).not.toMatch(controlCharacters);
    // Only an old plan has this id; a new task may not have it.
    const plain = planOf(
      ...[...plan.items.values()].map((each) =>
        each.id === '=evil'
          ? {...each, id: 'evil'}
          : {...each, deps: each.deps.map((dep) => dep.replace('=', ''))},
      ),
    );
    const again = imported(markdownPlan(plain));
    expect(essence(again)).toEqual(essence(setStatus(plain, 'p', 'todo', now)));
  });

  test.each([
    {name: 'Markdown', render: markdownPlan, file: 'x.md'},
    {name: 'CSV', render: csvPlan, file: 'x.csv'},
  ])('$name imported into its own plan changes nothing', ({render, file}) => {
    const simple = planOf(
      ...[...plan.items.values()].map((each) =>
        file === 'x.csv' && each.id === '=evil' ? {...each, acceptanceCriteria: ['[ ] box', '-->']} : each,
      ),
    );
    expect(imported(render(simple), {into: simple, name: file})).toBe(simple);
  });

  test('Markdown round-trips whatever text a task has', () => {
    const anyText = fc.string({unit: 'binary', maxLength: 30});
    const lines = fc
      .array(
        fc.constantFrom(
          '- [ ] x',
          '  > q',
          'Prompt:',
          '```',
          '',
          ' y',
          '<!-- blackbird: {} -->',
          '# h',
          '\t- t',
        ),
        {maxLength: 5},
      )
      .map((each) => each.join('\n'));
    const text = fc.oneof(anyText, lines);
    fc.assert(
      fc.property(
        text,
        text,
        text,
        fc.array(text, {maxLength: 3}),
        fc.array(text, {maxLength: 3}),
        (title, description, prompt, acceptanceCriteria, verify) => {
          fc.pre(title.trim() !== '');
          const child = task('c', {
            title,
            description,
            prompt,
            acceptanceCriteria,
            verify: verify.map((each) => `run ${each.replace(/[\n\r\0\u2028\u2029]/g, '')}`),
            notes: description,
          });
          const odd = planOf(
            family(task('p', {title, description}), child),
            task('z', {title, prompt: description}),
          );
          const rendered = markdownPlan(odd);
          expect(rendered).not.toMatch(controlCharacters);
          expect(essence(imported(rendered))).toEqual(essence(odd));
        },
      ),
      {numRuns: 200},
    );
  });

  test('Markdown with a hundred levels is refused', () => {
    const deep = Array.from({length: 101}, (_, index) =>
      task(`t${index}`, {
        parentId: index === 0 ? null : `t${index - 1}`,
        childIds: index === 100 ? [] : [`t${index + 1}`],
      }),
    );
    expect(errorOf(() => markdownPlan(planOf(deep))).message).toBe(
      'a Markdown list cannot hold more than 100 levels of tasks',
    );
  });

  test('CSV contains no formula that a spreadsheet would run', () => {
    expect(csvPlan(planOf(task('a', {title: '=1+1', notes: "'=x", prompt: '-5'}))).split('\n')[1]).toBe(
      "a,,'=1+1,todo,,,,'-5,''=x,,,,",
    );
  });

  test('Mermaid draws parents, dependencies and statuses', () => {
    expect(mermaidPlan(plan).split('\n').slice(0, 11)).toEqual([
      'flowchart TD',
      '  subgraph t0["p: Parent"]',
      '    t1["a: Task a"]:::done',
      '    t2["b: Task b"]:::failed',
      '  end',
      '  t3["=evil: #34;x#34;, #60;b#62;#35;#59;"]:::todo',
      '  t4["z: End #60;!-- id: q --#62;"]:::skipped',
      '  t1 --> t2',
      '  t3 --> t4',
      '  t0 --> t4',
      '  classDef done fill:#d5f5d5,stroke:#2e7d32',
    ]);
  });
});
