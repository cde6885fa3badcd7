import {describe, expect, test} from 'vitest';
import {
  foreignRecords,
  kept,
  mergeSideEffects,
  needsDecision,
  recalled,
  recordEffects,
  sideEffectsOf,
} from '../../../src/machines/policies/review/side-effects.ts';
import {plantedWords, wordEffects} from '../../../src/machines/policies/review/word-effects.ts';
import type {RunRecord} from '../../../src/services/contracts/run.ts';
import type {
  RecordVersions,
  RepositoryState,
  SideEffect,
  Surroundings,
  Writer,
} from '../../../src/services/contracts/side-effects.ts';
import {restingRun} from '../../fakes/runs.ts';
import {planOf, task} from '../../helpers/plans.ts';

const [one, two] = ['1'.repeat(40), '2'.repeat(40)] as const;
const main = 'ref: refs/heads/main';

const repository = (
  refs: Record<string, string> = {},
  head = main,
  files: Record<string, string> = {},
): RepositoryState => ({
  id: '1',
  head,
  refs: new Map(Object.entries(refs)),
  files: new Map(Object.entries(files)),
});

const around = (
  state: RepositoryState | null = null,
  settings: Record<string, string | null> = {},
): Surroundings => ({settings: new Map(Object.entries(settings)), repository: state});

const nothing = {before: around(), after: around(), plan: null, ignored: {count: 0, names: []}};
const texts = (effects: readonly SideEffect[]) => effects.map(({kind, text}) => `${kind}: ${text}`);

test('no side effects, no report', () => {
  expect(sideEffectsOf(nothing)).toEqual([]);
});

test.each([
  {
    name: 'fields, added and removed tasks',
    after: planOf(task('a', {prompt: 'other', deps: ['c']}), task('c')),
    text: 'the plan was edited: a (prompt, deps), c (added), b (removed)',
  },
  {
    name: 'ten tasks and the number of the others',
    after: planOf(...Array.from({length: 13}, (_, place) => task(String.fromCharCode(97 + place)))),
    text: `the plan was edited: ${'cdefghijkl'
      .split('')
      .map((id) => `${id} (added)`)
      .join(', ')} and 1 more`,
  },
  {
    name: 'the order of its tasks, when nothing else changed',
    after: planOf(task('b'), task('a')),
    text: 'the plan was edited: the order of its tasks',
  },
])('an edited plan is described by $name', ({after, text}) => {
  const plan = {before: {plan: planOf(task('a'), task('b'))}, after: {plan: after}};
  expect(sideEffectsOf({...nothing, plan})).toMatchObject([
    {kind: 'plan', text, path: 'blackbird.plan.json'},
  ]);
});

test('a plan that was only rewritten is no side effect; a broken one is', () => {
  const before = {plan: planOf(task('a'))};
  expect(sideEffectsOf({...nothing, plan: {before, after: {plan: planOf(task('a'))}}})).toEqual([]);
  const broken = {before, after: {problems: [{path: 'a', message: 'required'}]}};
  expect(texts(sideEffectsOf({...nothing, plan: broken}))).toEqual([
    'plan: the plan was edited and cannot be used: required',
  ]);
});

test('settings: created, changed, removed', () => {
  const files = (...contents: Array<string | null>) =>
    around(null, Object.fromEntries(contents.map((content, place) => [`f${place}`, content])));
  const [before, after] = [files(null, '{}', '{}', '{}'), files('{}', '{"a":1}', null, '{}')];
  expect(texts(sideEffectsOf({...nothing, before, after}))).toEqual([
    'settings: f0 was created; it applies from the next job on',
    'settings: f1 was changed; it applies from the next job on',
    'settings: f2 was removed; it applies from the next job on',
  ]);
});

test.each([
  {name: 'a branch', refs: {'refs/heads/x': two}, told: ['branch x was created at 2222222']},
  {name: 'a tag', refs: {'refs/tags/v1': two}, told: ['tag v1 was created at 2222222']},
  {name: 'a stash', refs: {'refs/stash': two}, told: ['something was stashed']},
  {
    name: 'pushes and fetches',
    refs: {'refs/remotes/origin/main': two},
    told: ['remote branch origin/main was created at 2222222'],
  },
])('$name is named', ({refs, told}) => {
  const [before, after] = [
    around(repository({'refs/heads/main': one})),
    repository({'refs/heads/main': one, ...refs}),
  ];
  expect(sideEffectsOf({...nothing, before, after: around(after)}).map(({text}) => text)).toEqual(told);
});

test('branches that were moved or deleted, another one checked out, a repository that is gone', () => {
  const before = around(repository({'refs/heads/main': one, 'refs/heads/old': one}));
  const after = around(repository({'refs/heads/main': two}, two));
  expect(texts(sideEffectsOf({...nothing, before, after}))).toEqual([
    'refs: commit 2222222 is checked out instead of branch main',
    'refs: branch main was moved from 1111111 to 2222222',
    'refs: branch old was deleted, it was at 1111111',
  ]);
  expect(texts(sideEffectsOf({...nothing, before, after: around()}))).toEqual([
    'repository_gone: the git repository is gone',
  ]);
  const other = around({...repository(), id: '2'});
  expect(texts(sideEffectsOf({...nothing, before, after: other}))).toEqual([
    'repository_gone: the git repository was replaced by another one',
  ]);
  expect(sideEffectsOf({...nothing, before: around(), after})).toEqual([]);
});

describe('commits that no ref reaches', () => {
  const [three, four] = ['3'.repeat(40), '4'.repeat(40)] as const;
  type Move = readonly [from: string, to: string, text: string];
  const logged = (bytes: number, refs: Record<string, string>, ...moves: readonly Move[]): Surroundings => {
    const entries = moves.map(([from, to, text], place) => ({at: place, from, to, text}));
    return around({...repository(refs), log: {bytes, entries}});
  };
  const heads = (id: string) => ({'refs/heads/main': id});
  const start: Move = [one, one, 'checkout: moving from x to main'];

  test.each<{name: string; refs?: Record<string, string>; moves: readonly Move[]; told: readonly string[]}>([
    {
      name: 'one that was reset',
      moves: [
        [one, two, 'commit: Add it'],
        [two, one, 'reset: moving to HEAD~1'],
      ],
      told: ['commits were made and undone: 2222222 “Add it”'],
    },
    {
      name: 'one that was amended, and the one before it that still exists',
      refs: heads(four),
      moves: [
        [one, two, 'commit: A'],
        [two, three, 'commit: B'],
        [three, four, 'commit (amend): C'],
      ],
      told: ['branch main was moved from 1111111 to 4444444', 'commits were made and undone: 3333333 “B”'],
    },
    {
      name: 'none on a branch that exists',
      refs: {...heads(one), 'refs/heads/side': three},
      moves: [
        [one, one, 'checkout: moving from main to side'],
        [one, two, 'commit: A'],
        [two, three, 'commit: B'],
        [three, one, 'checkout: moving from side to main'],
      ],
      told: ['branch side was created at 3333333'],
    },
    {name: 'none from before', moves: [], told: []},
  ])('$name', ({refs = heads(one), moves, told}) => {
    const old: Move = [three, four, 'commit: before all this'];
    const before = logged(2, heads(one), old, start);
    const after = logged(2 + moves.length, refs, old, start, ...moves);
    expect(sideEffectsOf({...nothing, before, after}).map(({text}) => text)).toEqual(told);
    // What a Blackbird knows after a crash is enough.
    const again = recalled(kept(before, 'v'));
    expect(sideEffectsOf({...nothing, before: again, after}).map(({text}) => text)).toEqual(told);
  });

  test('a log that begins during the run is searched from its start', () => {
    const move: Move = [one, two, 'commit: x'];
    const told = sideEffectsOf({
      ...nothing,
      before: around(repository(heads(one))),
      after: logged(1, heads(one), move),
    });
    expect(texts(told)).toEqual([`refs: commits were made and undone: ${two.slice(0, 7)} “x”`]);
  });

  test('a log that became shorter is reported', () => {
    const told = sideEffectsOf({...nothing, before: logged(2, {}), after: around(repository())});
    expect(texts(told)).toEqual(['refs: the log of what was checked out (.git/logs/HEAD) was shortened']);
  });
});

test('ten refs are named, the others counted', () => {
  const refs = Object.fromEntries(Array.from({length: 12}, (_, at) => [`refs/tags/${at}`, one]));
  const told = sideEffectsOf({...nothing, before: around(repository()), after: around(repository(refs))});
  expect([told.length, told.at(-1)?.text]).toEqual([11, '2 more refs were changed']);
});

test('ignored files: the first names, and the number of the others', () => {
  const ignored = {count: 7, names: ['a', 'b/']};
  expect(texts(sideEffectsOf({...nothing, ignored}))).toEqual([
    'ignored_files: ignored by git, not in the diff: a, b/ and 5 more',
  ]);
});

test('changes that git does not list come before what git ignores', () => {
  const ignored = {
    count: 1,
    names: ['a'],
    isCut: true,
    hidden: {count: 1, names: ['h']},
    inGit: {count: 2, names: ['g']},
    unseen: {count: 1, names: ['u']},
    removed: {count: 3, names: ['r']},
  };
  expect(texts(sideEffectsOf({...nothing, ignored}))).toEqual([
    'git_settings: in folders of git, not in the diff: g and 1 more',
    "ignored_files: in Blackbird's own folder, not in the diff: h",
    'ignored_files: where git does not look, not in the diff: u',
    'ignored_files: removed, ignored by git, with no copy left: r and 2 more',
    'ignored_files: ignored by git, not in the diff: a',
    'ignored_files: there are too many ignored files to look at them all',
  ]);
});

test('side effects outside files add up without repeats; those of files are replaced', () => {
  const effect = (kind: SideEffect['kind'], text: string): SideEffect => ({kind, text});
  const earlier = [effect('plan', 'p'), effect('large_file', 'old')];
  const later = [effect('plan', 'p'), effect('refs', 'r')];
  expect(mergeSideEffects(earlier, later, [effect('large_file', 'new')])).toEqual([
    effect('plan', 'p'),
    effect('refs', 'r'),
    effect('large_file', 'new'),
  ]);
});

test('only an edited plan requires a decision', () => {
  expect(needsDecision([{kind: 'refs', text: ''}])).toBe(false);
  expect(needsDecision([{kind: 'plan', text: ''}])).toBe(true);
  expect(needsDecision(undefined)).toBe(false);
});

test('a plan edited by a Blackbird of another process is named, but stops nothing', () => {
  const [before, after] = [{plan: planOf(task('a'))}, {plan: planOf(task('a', {prompt: 'other'}))}];
  const effects = sideEffectsOf({...nothing, plan: {before, after, isByBlackbird: true}});
  expect(texts(effects)).toEqual(['plan_edits: the plan was edited with Blackbird meanwhile: a (prompt)']);
  expect(needsDecision(effects)).toBe(false);
});

test("git's own files: hooks, settings and worktrees are one line", () => {
  const files = {'.git/config': '1', '.git/info/exclude': '1', '.git/hooks/old': '1'};
  const now = {
    '.git/config': '2',
    '.git/info/exclude': '1',
    '.git/hooks/post-commit': '1',
    '.git/worktrees/x/gitdir': '1',
  };
  const [before, after] = [around(repository({}, main, files)), around(repository({}, main, now))];
  expect(texts(sideEffectsOf({...nothing, before, after}))).toEqual([
    'git_settings: .git/config was changed, .git/hooks/old was removed, ' +
      '.git/hooks/post-commit was created, the worktree x was created',
  ]);
});

const none = {isOwnChanged: false, opened: [], predecided: [], removed: [], changed: [], isLost: false};

test('removed, changed or added records of other tasks are named by their task', () => {
  const versions = (...tasks: ReadonlyArray<[string, Record<string, string>]>): RecordVersions =>
    new Map(tasks.map(([id, records]) => [id, new Map(Object.entries(records))]));
  const before = versions(
    ['a', {'a-1.json': '1', 'a-2.json': '1'}],
    ['b', {'b-1.json': '1', 'b-2.json': '1'}],
    ['c', {'c-1.json': '1'}],
    ['d', {'d-1.json': '1'}],
    ['e', {'e-1.json': '1'}],
  );
  const after = versions(
    ['a', {'a-1.json': '1', 'a-2.json': '2'}],
    ['b', {'b-2.json': '2'}],
    ['d', {'d-1.json': '2'}],
    ['e', {'e-1.json': '1'}],
    ['f', {'f-1.json': '1'}],
  );
  const found = foreignRecords(before, after, [{run_id: 'a-2'}]);
  expect(found).toEqual({removed: ['b', 'c'], changed: ['d', 'f'], isLost: false});
  expect(texts(recordEffects({...none, ...found}))).toEqual([
    'records: run records of these tasks were removed: b, c',
    'records: run records of these tasks were changed: d, f',
  ]);
  const nothingFound = {removed: [], changed: [], isLost: false};
  expect(foreignRecords(before, before, [])).toEqual(nothingFound);
  expect(foreignRecords(undefined, after, [])).toEqual(nothingFound);
  // Adding too many of them does not avoid the decision.
  const lost = foreignRecords(before, undefined, []);
  expect(texts(recordEffects({...none, ...lost}))).toEqual([
    'records: so many folders were made in .blackbird/runs that the run records were not compared',
  ]);
});

test('records changed by someone else require a decision', () => {
  const [b, c] = ['b', 'c'].map((task_id) => restingRun({state: 'succeeded', task_id})) as [
    RunRecord,
    RunRecord,
  ];
  const effects = recordEffects({...none, isOwnChanged: true, opened: [b], predecided: [c]});
  expect(texts(effects)).toEqual([
    'records: the record of this run was changed; Blackbird restored it',
    'records: the open decision about b was changed; Blackbird restored it',
    'records: a decision about c was prepared in advance; it was discarded',
  ]);
  const nothingChanged = recordEffects(none);
  expect([needsDecision(effects), nothingChanged]).toEqual([true, []]);
});

test('text in the name of others requires a decision, unless it was written with Blackbird', () => {
  const before = {
    words: new Map([...['d/same', 'd/edited', 'd/gone', 'd/mine'].map((name) => [name, '1'] as const)]),
    jobs: new Map([['jobs/1.json', '1']]),
  };
  const after = {
    words: new Map([
      ['d/same', '1'],
      ['d/edited', '2'],
      ['d/mine', '2'],
      ['d/new', '1'],
      ['d/theirs', '1'],
    ]),
    jobs: new Map([['jobs/1.json', '2']]),
  };
  const writers: Readonly<Record<string, Writer>> = {'d/mine': 'here', 'd/theirs': 'elsewhere'};
  const effects = wordEffects(before, after, (name) => writers[name] ?? null);
  const [written, removed, meanwhile] = [
    {
      kind: 'records',
      text: 'written while the agent worked, not by Blackbird: .blackbird/d/edited, .blackbird/d/new, .blackbird/jobs/1.json',
    },
    {kind: 'records', text: 'removed while the agent worked, not by Blackbird: .blackbird/d/gone'},
    {
      kind: 'records',
      text: 'written or removed with Blackbird meanwhile: .blackbird/d/theirs',
      is_by_blackbird: true,
    },
  ] as const;
  expect(effects).toEqual([written, removed, meanwhile]);
  expect(plantedWords(before, after, (name) => writers[name] ?? null)).toEqual(['d/edited', 'd/new']);
  const aside = wordEffects(before, after, (name) => writers[name] ?? null, new Set(['d/edited', 'd/new']));
  expect(aside.slice(0, 2)).toEqual([
    {
      kind: 'records',
      text: 'written while the agent worked, not by Blackbird, and put aside (.planted): .blackbird/d/edited, .blackbird/d/new',
    },
    {kind: 'records', text: 'written while the agent worked, not by Blackbird: .blackbird/jobs/1.json'},
  ]);
  expect([[written], [removed], [meanwhile]].map((each) => needsDecision(each))).toEqual([true, true, false]);
  // After a crash the jobs are unknown.
  expect(wordEffects({words: before.words}, {...after, words: before.words}, () => null)).toEqual([]);
});

test('a segment records what it saw; too many refs are left out', () => {
  const seen = {
    ...around(repository({'refs/heads/main': one}, main, {'.git/config': '1'}), {f: null}),
    words: new Map([['drafts/b.edits.json', '1']]),
  };
  expect(recalled(kept(seen, 'v'))).toEqual(seen);
  expect(recalled(kept(around(), null))).toEqual(around());
  const refs = (count: number) =>
    around(repository(Object.fromEntries(Array.from({length: count}, (_, at) => [`refs/tags/${at}`, one]))));
  expect(recalled(kept(refs(300), 'v'))).toEqual(refs(300));
  const ignored = (count: number) => ({
    ...around(),
    ignored: Array.from({length: count}, (_, at) => `${at}`),
  });
  expect(recalled(kept(ignored(300), 'v'))).toEqual(ignored(300));
  expect(recalled(kept(ignored(301), 'v'))).toEqual(around());
  const before = recalled(kept(refs(301), 'v'));
  expect(before.repository?.refs).toBeNull();
  expect(sideEffectsOf({...nothing, before, after: refs(1)})).toEqual([]);
});

test('what git could not tell is no secret', () => {
  const unknown = (['staged', 'ignored', 'removed'] as const).map((what) => ({what, why: 'git is broken'}));
  expect(texts(sideEffectsOf({...nothing, ignored: {count: 0, names: [], unknown}}))).toEqual([
    'refs: it is not known what was staged for the next commit: git is broken',
    'ignored_files: it is not known which ignored files were created or changed: git is broken',
    'ignored_files: it is not known which ignored files were removed: git is broken',
  ]);
});

test('ignored files that were not all compared are reported', () => {
  expect(texts(sideEffectsOf({...nothing, ignored: {count: 0, names: [], isCut: true}}))).toEqual([
    'ignored_files: there are too many ignored files to look at them all',
  ]);
});

test('a change to the instructions that every agent reads is named at once', () => {
  const [before, after] = [around(null, {'x.md': null}), around(null, {'x.md': '1'})];
  expect(texts(sideEffectsOf({...nothing, before, after}))).toEqual([
    'settings: x.md was created; the next agents will get it',
  ]);
});
