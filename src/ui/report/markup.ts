import {displayLine} from '../../machines/policies/text/display-text.ts';

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an element or an attribute. */
const escapeMarkup = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '');

/** A markup template that escapes all its values; pieces of markup are joined outside of it. */
export const markup = (pieces: TemplateStringsArray, ...values: ReadonlyArray<string | number>): string =>
  String.raw({raw: pieces}, ...values.map((value) => escapeMarkup(String(value))));

/** Foreign text on one line, without characters that would reorder or hide it. Not escaped yet. */
export const safe = displayLine;
