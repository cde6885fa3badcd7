import {expect, test} from 'vitest';
import {createVisitCounter, pathsOf} from '../../../src/machines/policies/inspect/visits.ts';
import {entry} from '../../fakes/journal-entries.ts';

const at = (second: number) => `2026-01-01T00:00:0${second}.000Z`;
const segment = {actor: 'engine/task/run/segment', machine: 'segment'} as const;

test('counts how often a state was entered and how long it was active, including states passed through', () => {
  const counter = createVisitCounter();
  counter.add([
    entry({...segment, seq: 1, kind: 'started', at: at(0), state: 'launching'}),
    entry({...segment, seq: 2, at: at(1), state: 'active'}),
    entry({...segment, seq: 3, at: at(3), state: 'recordingSession'}),
    entry({...segment, seq: 4, at: at(4), state: 'active'}),
    entry({
      ...segment,
      seq: 5,
      at: at(6),
      state: 'recordingOutcome',
      transitions: [
        {source: 'segment.active', event: 'x', index: 0, target: 'segment.settling'},
        {source: 'segment.settling', event: '', index: 0, target: 'segment.recordingOutcome'},
      ],
    }),
    entry({...segment, seq: 6, kind: 'done', at: at(7), state: 'ended', status: 'done'}),
  ]);
  expect(counter.visits()).toEqual({
    segment: {
      launching: {count: 1, milliseconds: 1000},
      active: {count: 2, milliseconds: 4000},
      recordingSession: {count: 1, milliseconds: 1000},
      settling: {count: 1, milliseconds: 0},
      recordingOutcome: {count: 1, milliseconds: 1000},
      ended: {count: 1, milliseconds: 0},
    },
  });
});

test('the actors above the runs are in several journals, and are counted once', () => {
  const counter = createVisitCounter();
  const above = entry({actor: 'engine', machine: 'engine', at: at(1), state: {working: {work: 'executing'}}});
  counter.add([above]);
  counter.add([above]);
  expect(counter.visits().engine?.['working.work.executing']?.count).toBe(1);
});

test('names every state of a value', () => {
  expect(pathsOf({open: {left: 'b', right: {}}})).toEqual(['open', 'open.left', 'open.left.b', 'open.right']);
  expect(pathsOf('shut')).toEqual(['shut']);
  expect(pathsOf(null)).toEqual([]);
});
