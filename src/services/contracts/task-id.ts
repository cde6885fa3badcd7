/** Names that Windows reserves whatever their extension. */
const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** What a new id may look like: a file name that is safe and the same on every system. */
export const taskIdRule =
  'letters, digits, ".", "_" and "-", at most 64, not beginning with "." or "-", not ending with "."';

/** True for ids that can be a folder's name as they are; all others are escaped. */
export function isPlainTaskId(id: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$/.test(id) && !id.endsWith('.') && !reserved.test(id);
}
