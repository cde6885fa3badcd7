/** The space available to a dialog. */
export type DialogSize = {
  readonly columns: number;
  readonly rows: number;
  /** Whether it has the focus. */
  readonly isActive?: boolean;
};
