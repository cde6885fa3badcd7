/**
 * The ids that a typed text may mean: an exact match, otherwise those with this prefix. A prefix that ends between two
 * parts is preferred: `api-1` means `api-1-3fa9c1` even if there is `api-12-77b0e2`.
 */
export function meantIds(ids: readonly string[], typed: string): readonly string[] {
  if (typed === '') return [];
  if (ids.includes(typed)) return [typed];
  const whole = ids.filter((id) => id.startsWith(`${typed}-`));
  return whole.length > 0 ? whole : ids.filter((id) => id.startsWith(typed));
}
