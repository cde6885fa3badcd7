import {describe, expect, test} from 'vitest';
import {Recording, shownActors} from '../../../src/ui/inspector/recording.ts';
import {entry} from '../../fakes/journal-entries.ts';

const at = (seq: number, actor: string, fields: Parameters<typeof entry>[0] = {}) => {
  const parent = actor.includes('/') ? actor.slice(0, actor.lastIndexOf('/')) : null;
  const machine = actor.split('/').at(-1) ?? '';
  return entry({seq, actor, parent, machine, event: {type: 'e'}, state: `s${seq}`, ...fields});
};

function recordingOf(...entries: ReturnType<typeof entry>[]): Recording {
  const made = new Recording();
  made.add(entries);
  return made;
}

describe('entries', () => {
  test('that come twice, as after a lost connection, are recorded once', () => {
    const line = recordingOf(at(1, 'a'), at(2, 'a'));
    line.add([at(1, 'a'), at(2, 'a'), at(3, 'a')]);
    line.add([at(1, 'a', {session: 2})]);
    expect(line.entries.map(({session, seq}) => [session, seq])).toEqual([
      [1, 1],
      [1, 2],
      [1, 3],
      [2, 1],
    ]);
    expect(line.last).toBe(3);
  });

  test('are dropped from the oldest when there are too many', () => {
    const many = (from: number, count: number) =>
      Array.from({length: count}, (_, index) => at(from + index, 'a'));
    const line = recordingOf(...many(1, 20_000));
    expect(line.dropped).toBe(0);
    line.add(many(20_001, 1));
    expect({dropped: line.dropped, first: line.entries[0]?.seq, length: line.entries.length}).toEqual({
      dropped: 2_001,
      first: 2_002,
      length: 18_000,
    });
  });
});

test('entries that are added to others do not make it look at those again', () => {
  let looks = 0;
  const counted = Array.from({length: 100}, (_, index) => {
    const each = at(index + 1, index % 2 ? 'engine' : `engine/task:${index}`);
    return {
      ...each,
      get event() {
        looks++;
        return each.event;
      },
    };
  });
  const whole = recordingOf(...counted);
  const once = looks;
  const grown = new Recording();
  for (const each of counted) grown.add([each]);
  expect(looks).toBe(2 * once);
  expect(grown.actorsAt(grown.last)).toEqual(whole.actorsAt(whole.last));
});

test('a recording that grew is like one that came whole, also after entries were dropped', () => {
  const entries = Array.from({length: 20_400}, (_, index) =>
    at(index + 1, `engine/task:${index % 700}/run`, {
      machine: 'run',
      status: index % 1_400 < 700 ? 'active' : 'done',
      ...(index % 900 === 0 && {event: {type: 'review.approve'}}),
    }),
  );
  const grown = new Recording();
  for (let from = 0; from < entries.length; from += 300) grown.add(entries.slice(from, from + 300));
  const whole = recordingOf(...grown.entries);
  expect(grown.entries.length).toBeLessThan(entries.length);
  expect(grown.marks).toEqual(whole.marks);
  expect(grown.actorsAt(grown.last)).toEqual(whole.actorsAt(whole.last));
});

describe('the actors at a moment', () => {
  const line = recordingOf(
    at(1, 'engine'),
    at(2, 'engine/task'),
    at(3, 'engine/task/run'),
    at(4, 'engine/task', {status: 'done'}),
    at(5, 'engine/task:2'),
    at(6, 'engine/task/run', {status: 'done'}),
    at(1, 'engine', {session: 2}),
  );
  const shown = (position: number) =>
    line
      .actorsAt(position)
      .map(({depth, name, entry: {state, status}}) => `${'  '.repeat(depth)}${name} ${state} ${status}`);

  test('show the task they were started for, as long as they exist', () => {
    const input = {taskId: 'pay-05'};
    const begun = recordingOf(
      at(1, 'engine'),
      at(2, 'engine/task', {event: {type: 'xstate.init', input}}),
      at(3, 'engine/task', {event: {type: 'e', input: {taskId: 'other'}}}),
      at(4, 'engine/task:2', {event: {type: 'xstate.init', input: {taskId: 7}}}),
    );
    expect(begun.actorsAt(3).map(({name, task}) => [name, task])).toEqual([
      ['engine', ''],
      ['task', 'pay-05'],
      ['task:2', ''],
    ]);
  });

  test('are those that had started, in their state, children below their parents', () => {
    expect(shown(0)).toEqual(['engine s1 active']);
    expect(shown(2)).toEqual(['engine s1 active', '  task s2 active', '    run s3 active']);
    expect(shown(5)).toEqual(['engine s1 active', '  task s4 done', '    run s6 done', '  task:2 s5 active']);
  });

  test('of another process are separate actors', () => {
    expect(line.actorsAt(6).map(({key}) => key)).toEqual([
      '1|engine',
      '1|engine/task',
      '1|engine/task/run',
      '1|engine/task:2',
      '2|engine',
    ]);
  });

  test('are none before the first entry', () => {
    expect(line.actorsAt(-1)).toEqual([]);
    expect(new Recording().actorsAt(-1)).toEqual([]);
  });

  test.each([
    {key: '1|engine/task', position: 0, latest: -1, before: 0, after: 1},
    {key: '1|engine/task', position: 1, latest: 1, before: 1, after: 3},
    {key: '1|engine/task', position: 2, latest: 1, before: 1, after: 3},
    {key: '1|engine/task', position: 6, latest: 3, before: 3, after: 6},
    {key: 'nobody', position: 3, latest: -1, before: 3, after: 3},
  ])('$key at $position', ({key, position, latest, before, after}) => {
    expect({
      latest: line.latestOf(key, position),
      before: line.neighbour(key, position, -1),
      after: line.neighbour(key, position, 1),
    }).toEqual({latest, before, after});
  });
});

describe('of many actors', () => {
  const line = recordingOf(
    at(1, 'engine'),
    ...Array.from({length: 5}, (_, index) => [
      at(2 + index * 2, `engine/task:${index}`),
      at(3 + index * 2, `engine/task:${index}`, {status: index === 4 ? 'active' : 'done'}),
    ]).flat(),
  );
  const shown = (chosen: string | null, mostEnded: number) => {
    const {views, hidden} = shownActors(line.actorsAt(line.last), chosen, mostEnded);
    return {names: views.map(({name}) => name), hidden};
  };

  test('all are shown while few have ended', () => {
    expect(shown(null, 4)).toEqual({
      names: ['engine', 'task:0', 'task:1', 'task:2', 'task:3', 'task:4'],
      hidden: 0,
    });
  });

  test('then the live ones, those that ended last, and the selected one', () => {
    expect(shown(null, 3)).toEqual({names: ['engine', 'task:1', 'task:2', 'task:3', 'task:4'], hidden: 1});
    expect(shown(null, 1)).toEqual({names: ['engine', 'task:3', 'task:4'], hidden: 3});
    expect(shown('1|engine/task:0', 1)).toEqual({names: ['engine', 'task:0', 'task:3', 'task:4'], hidden: 2});
  });

  test('with all above them', () => {
    const deep = recordingOf(
      at(1, 'task', {status: 'done'}),
      at(2, 'task/run', {status: 'done'}),
      at(3, 'other', {status: 'done'}),
      at(4, 'task/run/segment'),
    );
    const {views, hidden} = shownActors(deep.actorsAt(3), null, 0);
    expect({names: views.map(({name}) => name), hidden}).toEqual({
      names: ['task', 'run', 'segment'],
      hidden: 1,
    });
  });
});

test('pauses, decisions and failures are marked; what passes from actor to actor is one', () => {
  const quiet = Array.from({length: 12}, (_, index) => at(20 + index, 'segment'));
  const line = recordingOf(
    at(1, 'engine', {event: {type: 'engine.pause'}}),
    at(2, 'run', {event: {type: 'run.pause'}}),
    at(3, 'segment', {event: {type: 'run.pause'}}),
    at(4, 'segment', {event: {type: 'xstate.error.actor.recordRun'}}),
    at(5, 'gate', {event: {type: 'review.approve'}}),
    at(6, 'gate', {kind: 'error'}),
    ...quiet,
    at(40, 'engine', {event: {type: 'engine.pause'}}),
  );
  line.standing = 'live';
  expect(line.marks).toEqual([
    {index: 0, kind: 'paused', label: 'pause requested, engine'},
    {index: 3, kind: 'failed', label: 'error(recordRun), segment'},
    {index: 4, kind: 'decision', label: 'review.approve, gate'},
    {index: 18, kind: 'paused', label: 'pause requested, engine'},
  ]);
});

test('a process that died during a run is marked, and found by the time of its last entry', () => {
  const time = (second: number) => `2026-01-01T00:00:${String(second).padStart(2, '0')}.000Z`;
  const refused = {type: 'xstate.error.actor.agent'};
  const line = recordingOf(
    at(1, 'run', {at: time(1)}),
    at(2, 'run/segment', {at: time(2)}),
    at(1, 'run', {session: 2, at: time(9)}),
    at(2, 'run', {session: 2, at: time(10), event: refused, status: 'done'}),
  );
  expect(line.marks.map(({index, kind}) => [index, kind])).toEqual([
    [1, 'lost'],
    [3, 'failed'],
  ]);
  // The record knows when it was last seen: later than its last entry, and nearer to the next process.
  for (const second of [2, 8]) expect(line.markNear(time(second))).toBe(1);
  expect(line.markNear(time(10))).toBe(3);

  const alive = recordingOf(at(1, 'run', {at: time(1)}));
  alive.standing = 'live';
  expect(alive.marks).toEqual([]);
  alive.standing = 'ended';
  expect(alive.marks.map(({kind}) => kind)).toEqual(['lost']);
});
