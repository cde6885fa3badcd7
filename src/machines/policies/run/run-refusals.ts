import {AppError, shellWord} from '../../../services/contracts/errors.ts';
import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';

// Why a task is not run, each with the command that tells more or helps.

type Named = Pick<Task, 'id'>;

export const hasChildren = ({id}: Named): AppError =>
  new AppError('E_TASK_NOT_READY', `${id} has children; they are the ones that run`, {
    next: [{command: `blackbird why ${shellWord(id)}`, why: 'see what is left'}],
  });

export const notReady = ({id}: Named): AppError =>
  new AppError('E_TASK_NOT_READY', `${id} is not ready`, {
    next: [{command: `blackbird why ${shellWord(id)}`, why: 'see what it waits for'}],
  });

export const nothingToRestart = ({id}: Named): AppError =>
  new AppError('E_RESTART_REFUSED', `${id} has no run to restart`, {
    next: [{command: `blackbird execute ${shellWord(id)}`, why: 'run it for the first time'}],
  });

export const nothingToResume = ({id}: Named, reason: string): AppError =>
  new AppError('E_NOTHING_TO_RESUME', `nothing to resume for ${id}: ${reason}`, {
    next: [{command: `blackbird runs ${shellWord(id)}`, why: 'see its history'}],
  });

export const stillRunning = ({id}: Named, run: RunRecord): AppError =>
  new AppError('E_TASK_RUNNING', `${id} is running`, {
    details: [['run', run.run_id]],
    next: [{command: `blackbird runs ${shellWord(id)}`, why: 'see its state'}],
  });
