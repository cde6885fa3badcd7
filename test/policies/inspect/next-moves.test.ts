import {expect, test} from 'vitest';
import {findMachine} from '../../../src/machines/machines.ts';
import {chartOf} from '../../../src/machines/policies/inspect/chart.ts';
import {movesFrom} from '../../../src/machines/policies/inspect/next-moves.ts';

const chart = (name: string) => {
  const found = findMachine(name);
  if (!found) throw new Error(`no machine ${name}`);
  return chartOf(found.machine);
};

test('a paused run can be resumed, restarted or undone, with these commands', () => {
  const moves = movesFrom(chart('run'), new Set(['run', 'run.resting', 'run.resting.paused']), "a'b");
  const commands = new Set(moves.flatMap(({command}) => command ?? []));
  expect([...commands].filter((command) => /resume|restart|undo/.test(command))).toEqual([
    String.raw`blackbird resume 'a'\''b'`,
    String.raw`blackbird resume 'a'\''b' --feedback <text>`,
    String.raw`blackbird restart 'a'\''b'`,
    String.raw`blackbird undo 'a'\''b'`,
  ]);
});

test('an event that no user can cause has no command, nor does a command without the task it needs', () => {
  const moves = movesFrom(chart('segment'), new Set(['segment', 'segment.launching']), '');
  expect(moves.find(({when}) => when === 'agent.held')).toEqual({
    when: 'agent.held',
    to: 'recordingStart',
    command: null,
  });
  expect(moves.find(({when}) => when === 'run.pause')?.command).toBe('blackbird pause');
  const resting = movesFrom(chart('run'), new Set(['run.resting.paused']), '');
  expect(resting.flatMap(({command}) => command ?? [])).toEqual([]);
});
