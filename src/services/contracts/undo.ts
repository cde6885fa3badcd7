import type {TreeSpan} from './changes.ts';

/** What becomes of one file when a change is taken back. */
export type UndoneFile = {
  readonly path: string;
  readonly kind: 'restored' | 'changed' | 'removed';
};

/** A file that cannot simply go back to what it was. */
export type UndoConflict = {
  readonly path: string;
  readonly reason: string;
  /** By force it gets the content it had before the task; others stay as they are. */
  readonly isForceable: boolean;
};

/** The working files now and with a change taken out of them, later edits of others kept. */
export type UndoPlan = TreeSpan & {
  readonly files: readonly UndoneFile[];
  readonly conflicts: readonly UndoConflict[];
};
