import {expect, test} from 'vitest';
import {initialTransition, transition} from 'xstate';
import type {RunCircumstances} from '../../src/machines/policies/run/run-circumstances.ts';
import {
  type RunCommandName,
  runCommands,
  runObstacle,
  standingOf,
} from '../../src/machines/policies/run/run-options.ts';
import type {RunOrder} from '../../src/machines/policies/run/run-order.ts';
import {runMachine} from '../../src/machines/run.machine.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {runKinds} from '../fakes/run-kinds.ts';
import {resumeRequest} from '../fakes/runs.ts';

const here: RunCircumstances = {
  repoRoot: '/project',
  explicitProvider: null,
  customCommand: null,
  isSameFolder: true,
  isSameProgram: true,
  isSessionRef: true,
  isGoRun: false,
  owner: 'gone',
  isPastCheckpoint: false,
  isBuiltOn: false,
};
const circumstances: readonly RunCircumstances[] = [
  here,
  {...here, owner: 'self'},
  {...here, owner: 'alive'},
  {...here, isSameFolder: false},
  {...here, isSameProgram: false},
  {...here, isSameFolder: false, isSameProgram: false},
  {...here, isSessionRef: false},
  {...here, isPastCheckpoint: true},
  {...here, isPastCheckpoint: true, isBuiltOn: true},
  {...here, isGoRun: true},
];

const orders: Record<RunCommandName, RunOrder> = {
  launch: {type: 'run.launch', request: resumeRequest},
  resume: {type: 'run.resume', request: resumeRequest},
  answer: {type: 'run.answer', request: resumeRequest},
  sendBack: {type: 'run.sendBack', request: resumeRequest},
  restart: {type: 'run.restart', byRunId: 'a-2'},
  retry: {type: 'run.retry'},
  undo: {type: 'run.undo', byRunId: 'a-2'},
  decide: {type: 'review.decide', decision: {state: 'approved_continue'}},
  withdraw: {type: 'review.withdraw'},
};

/** What the chart itself does with the command: its state, and what keeps it there. */
function chartSays(run: RunRecord, given: RunCircumstances, command: RunCommandName) {
  const input = {run, order: null, graceMilliseconds: 0, circumstances: given};
  const [start] = initialTransition(runMachine, input);
  const standing = typeof start.value === 'string' ? start.value : Object.values(start.value)[0];
  if (start.status === 'done') return {standing, obstacle: 'standing'};
  const [next] = transition(
    runMachine,
    {...start, context: {...start.context, order: orders[command]}},
    {
      type: orders[command].type,
    },
  );
  if (next.matches('impossible')) return {standing, obstacle: 'standing'};
  return {standing, obstacle: next.output?.outcome === 'refused' ? next.output.obstacle : null};
}

test('the table agrees with the chart for every kind of record, in every circumstance', () => {
  const differing: unknown[] = [];
  for (const run of runKinds) {
    for (const given of circumstances) {
      for (const command of runCommands) {
        const chart = chartSays(run, given, command);
        const table = {standing: standingOf(run, given), obstacle: runObstacle(run, given, command)};
        if (chart.standing !== table.standing || chart.obstacle !== table.obstacle)
          differing.push({run, given, command, chart, table});
      }
    }
  }
  expect(differing.slice(0, 3)).toEqual([]);
});
