import {isGoRun} from '../../../services/contracts/latest-run.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import {type ProgramChoice, programObstacle} from './program.ts';

/** What a record does not say, and what may become of its run depends on. */
export type RunCircumstances = Place & {
  readonly isSameFolder: boolean;
  readonly isSameProgram: boolean;
  /** Whether a session ref has the form its provider uses. */
  readonly isSessionRef: boolean;
  /** The Go program wrote the record: it is read, and never written. */
  readonly isGoRun: boolean;
  /** The Blackbird that launched it: this one, another that lives, or none that lives. */
  readonly owner: 'self' | 'alive' | 'gone';
  /** Somebody gave the task another status by hand, which is a decision too. */
  readonly isPastCheckpoint: boolean;
};

type Place = ProgramChoice & {readonly repoRoot: string};

/** Compared here, so that a journal without paths tells what the chart saw. */
export function circumstancesAt(
  {repoRoot, ...choice}: Place,
  run: RunRecord | null,
  others: Pick<RunCircumstances, 'isSessionRef' | 'owner' | 'isPastCheckpoint'>,
): RunCircumstances {
  return {
    repoRoot,
    ...choice,
    isSameFolder: run === null || isGoRun(run) || run.repo_root === repoRoot,
    isSameProgram: run === null || programObstacle(run, choice) === null,
    isGoRun: run !== null && isGoRun(run),
    ...others,
  };
}

/** What keeps a run from going on in its own session. */
export type SessionObstacle =
  | 'otherProgram'
  | 'otherFolder'
  | 'noSession'
  | 'foreignSession'
  | 'unsavedSession';

/** Why a run cannot go on, in words. */
export function obstacleText(
  obstacle: SessionObstacle,
  run: RunRecord,
  circumstances: RunCircumstances,
): string {
  switch (obstacle) {
    case 'otherProgram':
      return programObstacle(run, circumstances) ?? '';
    case 'otherFolder':
      return `it belongs to another working folder: ${run.repo_root} (this is ${circumstances.repoRoot})`;
    case 'noSession':
      return 'no session ref was captured before it stopped';
    case 'foreignSession':
      return `its session ref has not the form ${run.provider} uses`;
    case 'unsavedSession':
      return 'the provider had not stored the session yet when it stopped';
  }
}

/** Of a run that this Blackbird has just prepared. */
export const preparedHere = circumstancesAt(
  {repoRoot: '', explicitProvider: null, customCommand: null},
  null,
  {
    isSessionRef: true,
    owner: 'self',
    isPastCheckpoint: false,
  },
);
