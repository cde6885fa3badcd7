/** The room a dialog has. */
export type DialogSize = {
  readonly columns: number;
  readonly rows: number;
  /** Whether it has the keys. */
  readonly isActive?: boolean;
};
