import type {ReviewSummary} from '../../../services/contracts/changes.ts';

export type ChangeSize = {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
  /** The first few. */
  readonly paths: readonly string[];
};

/** The last line of the diffstat has the totals: ` 2 files changed, 46 insertions(+), 3 deletions(-)`. */
export function changeSize({files, total_files, diffstat}: ReviewSummary): ChangeSize {
  const totals = diffstat.split('\n').at(-1) ?? '';
  const count = (form: RegExp) => Number(form.exec(totals)?.[1] ?? 0);
  return {
    files: total_files ?? files.length,
    added: count(/ (\d{1,15}) insertions?\(\+\)/),
    removed: count(/ (\d{1,15}) deletions?\(-\)/),
    paths: files,
  };
}
