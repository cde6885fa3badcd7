/**
 * The ids that somebody may mean by what they typed: the one that is exactly it, else those that begin with it. An end
 * between two parts counts for more: `api-1` is `api-1-3fa9c1` where there is `api-12-77b0e2`, too.
 */
export function meantIds(ids: readonly string[], typed: string): readonly string[] {
  if (typed === '') return [];
  if (ids.includes(typed)) return [typed];
  const whole = ids.filter((id) => id.startsWith(`${typed}-`));
  return whole.length > 0 ? whole : ids.filter((id) => id.startsWith(typed));
}
