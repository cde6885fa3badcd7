/** The `@` being typed: its offset and the text after it so far. */
export type AtToken = {readonly start: number; readonly query: string};

/** The file reference that ends at the cursor; an `@` inside a word (an email address) does not count. */
export function atTokenBefore(text: string, cursor: number): AtToken | null {
  const match = /(?<![\p{L}\p{N}_@.`])@(?:"([^"\n]*)|([^\s"@]*))$/u.exec(
    text.slice(Math.max(text.lastIndexOf('\n', cursor - 1) + 1, cursor - 1_000), cursor),
  );
  if (!match) return null;
  return {start: cursor - match[0].length, query: match[1] ?? match[2] ?? ''};
}

/** How a chosen file is written; a path with special characters is quoted. */
export function referenceTo(path: string): string {
  return /^[\p{L}\p{N}_./+~-]*[\p{L}\p{N}_/+~-]$/u.test(path) ? `@${path}` : `@"${path}"`;
}
