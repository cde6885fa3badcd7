import type {JournalValue} from '../../../services/contracts/journal.ts';

/** Personal data that must not be passed on to others. */
export type Person = {readonly home: string; readonly user: string; readonly host: string};

/** The formats of the keys that leak most often, and strings that look random. */
const secrets: readonly RegExp[] = [
  /\b(?:sk|pk|rk)-[A-Za-z0-9_-]{8,}/g,
  /\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{16,}/g,
  /\bxox[abposr]-[\w-]{10,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{12,}/g,
  /\bAIza[\w-]{30,}/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?/g,
  /\b(?:bearer|basic)\s+[\w.+/=-]{8,}/gi,
  /:\/\/[^\s/:@]+:[^\s/@]+@/g,
  /\b(?=\w*[a-z])(?=\w*[A-Z])(?=\w*\d)[A-Za-z0-9_]{32,}\b/g,
];

export function scrubSecrets(text: string): string {
  return secrets.reduce((scrubbed, form) => scrubbed.replace(form, '<secret>'), text);
}

/** Removes secrets and the user's home, name and host. */
export function scrubText(text: string, {home, user, host}: Person): string {
  let scrubbed = scrubSecrets(text);
  if (home.length > 1) scrubbed = scrubbed.replaceAll(home, '~');
  for (const [word, instead] of [
    [user, '<user>'],
    [host, '<host>'],
  ] as const) {
    // A short name is part of too many words, and `root` identifies nobody.
    if (word.length > 2 && word !== 'root' && word !== 'localhost') {
      const whole = new RegExp(`(?<![\\w-])${word.replace(/[^\w]/g, '\\$&')}(?![\\w-])`, 'g');
      scrubbed = scrubbed.replace(whole, instead);
    }
  }
  return scrubbed;
}

/** Every text in a value, including keys. */
export function scrubValue<T extends JournalValue>(value: T, scrub: (text: string) => string): T {
  const each = (part: JournalValue): JournalValue => {
    if (typeof part === 'string') return scrub(part);
    if (typeof part !== 'object' || part === null) return part;
    if (Array.isArray(part)) return part.map(each);
    return Object.fromEntries(Object.entries(part).map(([key, field]) => [scrub(key), each(field)]));
  };
  return each(value) as T;
}
