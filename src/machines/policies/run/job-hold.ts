import {displayLine} from '../text/display-text.ts';
import {nearTime} from '../text/durations.ts';
import type {TaskCommand, TaskFacts} from './task-options.ts';

/** Refused by the lock of the project while a job has it. A decision is handed over to the job instead. */
const needsProject: ReadonlySet<TaskCommand> = new Set([
  'resume',
  'answer',
  'sendBack',
  'execute',
  'restart',
  'undo',
  'withdraw',
] as const satisfies readonly TaskCommand[]);

/** What becomes of a task instead of the command that the lock would refuse; null where it can be given now. */
export function jobHold({job, task}: TaskFacts, command: TaskCommand): 'goesOn' | 'inTurn' | 'ends' | null {
  if (!job || !needsProject.has(command)) return null;
  if (job.waitsFor?.taskId === task.id) return 'goesOn';
  const isTaken = job.takes === 'all' || job.takes.includes(task.id);
  return command === 'execute' && isTaken ? 'inTurn' : 'ends';
}

/** The same in words; `said` is the command as it is typed. */
export function jobHoldWords(facts: TaskFacts, command: TaskCommand, said: string): string | null {
  const pid = facts.job?.pid ?? null;
  const who = pid === null ? 'the job at work' : `the job of process ${pid}`;
  const until = facts.job?.waitsFor?.until ?? '';
  switch (jobHold(facts, command)) {
    case 'goesOn':
      return `${who} continues with it at ${nearTime(until, facts.now)}`;
    case 'inTurn':
      return `${who} will get to it`;
    case 'ends':
      return `once ${who} has ended: ${displayLine(said)}`;
    case null:
      return null;
  }
}
