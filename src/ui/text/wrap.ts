import {displayText} from '../../machines/policies/text/display-text.ts';
import {breakText} from './break-text.ts';
import {tabText} from './graphemes.ts';

/** Foreign text, sanitised and wrapped to this width. */
export function wrapped(text: string, columns: number): string[] {
  const safe = displayText(text).replaceAll('\t', tabText).trimEnd();
  return breakText(safe, columns).map(({start, end}) => safe.slice(start, end).trimEnd());
}
