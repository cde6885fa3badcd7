/** The parts of a prompt under their titles; empty ones are left out. */
export function promptSections(parts: ReadonlyArray<readonly [title: string, body: string]>): string {
  return parts
    .flatMap(([title, body]) => (body.trim() === '' ? [] : [`# ${title}\n${body.trim()}`]))
    .join('\n\n');
}

/** At most `limit` characters, and how many are missing. No character is cut in two. */
export function cutForPrompt(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const cut = text.slice(0, limit).trimEnd();
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}\n[… cut, ${text.length - limit} more characters]`;
}
