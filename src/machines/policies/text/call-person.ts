import type {SettingValueOf} from '../../../services/contracts/config.ts';
import {displayLine} from './display-text.ts';

/** The escape sequence that notifies a person: the bell, or a desktop notification. */
export function callFor(how: SettingValueOf<'tui.notify'>, text: string): string {
  // Must not contain anything that ends the sequence early.
  const safe = displayLine(text).replaceAll(';', ',').slice(0, 200);
  switch (how) {
    case 'bell':
      return '\x07';
    case 'osc9':
      return `\x1b]9;Blackbird: ${safe}\x07`;
    case 'osc777':
      return `\x1b]777;notify;Blackbird;${safe}\x07`;
    case 'off':
      return '';
  }
}
