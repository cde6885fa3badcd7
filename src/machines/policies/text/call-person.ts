import type {SettingValueOf} from '../../../services/contracts/config.ts';
import {displayLine} from './display-text.ts';

/** What makes a terminal call a person: it rings, or shows a message of its own. */
export function callFor(how: SettingValueOf<'tui.notify'>, text: string): string {
  // Nothing that ends the sequence early may be part of it.
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
