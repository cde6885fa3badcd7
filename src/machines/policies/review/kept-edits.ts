/** Limits on the edits in a record and on the length of a value as JSON. */
const [maxEdits, maxValueLength] = [40, 8000];

interface Edit {
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The edits that a record keeps, without values that are too long, and how many are left out. */
export function keptEdits<Kept extends Edit>(edits: readonly Kept[], withoutValues: (edit: Kept) => Kept) {
  const fits = (value: unknown) => (JSON.stringify(value) ?? '').length <= maxValueLength;
  const kept = edits
    .slice(0, maxEdits)
    .map((edit) => (fits(edit.before) && fits(edit.after) ? edit : withoutValues(edit)));
  return {kept, more: edits.length - kept.length};
}
