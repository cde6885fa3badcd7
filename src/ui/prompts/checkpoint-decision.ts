/** What a person decided about a finished run; the names are those of `decision_state` in the record. */
export type CheckpointDecision =
  | {readonly state: 'approved_continue'}
  | {readonly state: 'approved_quit'}
  | {readonly state: 'changes_requested'; readonly feedback: string}
  | {readonly state: 'rejected'};
