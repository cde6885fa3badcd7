// Draws docs/blackbird.svg: the terminal UI at work, from a real run of the demo agent in a real terminal.
// `npm run build && node scripts/picture.mjs`; needs tmux.
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {setTimeout as delay} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';

const program = fileURLToPath(new URL('../dist/blackbird.cjs', import.meta.url));
const picture = fileURLToPath(new URL('../docs/blackbird.svg', import.meta.url));
const [columns, rows] = [104, 29];
/** Of one character. */
const [width, height] = [8.4, 18];
const folder = mkdtempSync(path.join(tmpdir(), 'blackbird-picture-'));
const env = {...process.env, HOME: folder, TMUX_TMPDIR: folder, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8'};
const tmux = (...args) =>
  execFileSync('tmux', ['-L', 'picture', '-f', '/dev/null', ...args], {encoding: 'utf8', env});

try {
  const project = path.join(folder, 'checkout-service');
  const blackbird = (...args) => execFileSync(process.execPath, [program, '--cwd', project, ...args], {env});
  execFileSync('git', ['init', '-q', project]);
  const scripts = {test: 'node --test'};
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({type: 'module', scripts}));
  blackbird('init');
  for (const task of plan()) blackbird('add', ...task);
  blackbird('config', 'set', 'execution.stopAfterEachTask', 'true');
  blackbird('set-status', 'schema', 'done');
  blackbird('agents', 'use', 'demo');
  const shell = `cd ${project} && exec ${process.execPath} ${program}`;
  tmux('new-session', '-d', '-s', 'p', '-x', `${columns}`, '-y', `${rows}`, shell);
  tmux('set-option', '-g', 'status', 'off');
  tmux('resize-window', '-t', 'p', '-x', `${columns}`, '-y', `${rows}`);
  await until('Agent');
  tmux('send-keys', '-t', 'p', 'e');
  await until('Approve and continue');
  await delay(1500);
  writeFileSync(picture, svg(tmux('capture-pane', '-p', '-e', '-t', 'p')));
} finally {
  tmux('kill-server');
  // The program may still be writing its last lines.
  rmSync(folder, {recursive: true, force: true, maxRetries: 20});
}

/** Tasks of the sample, as arguments of `add`. */
function plan() {
  const code = [
    'const paid = new Map();',
    '',
    'export function refund(order, cents) {',
    '  if (paid.has(order)) return {status: 409};',
    '  paid.set(order, cents);',
    '  return {status: 201, cents};',
    '}',
  ];
  const test = [
    "import assert from 'node:assert';",
    "import test from 'node:test';",
    "import {refund} from '../src/refunds.js';",
    '',
    "test('an order is refunded once', () => {",
    "  assert.deepEqual(refund('o-1', 500), {status: 201, cents: 500});",
    "  assert.deepEqual(refund('o-1', 500), {status: 409});",
    '});',
  ];
  const prompt = [
    `demo: write src/refunds.js ${code.join('\\n')}`,
    `demo: write test/refunds.test.js ${test.join('\\n')}`,
    'demo: answer A refund is paid once; repeating it gives 409. Tested.',
  ].join('\n');
  const below = ['--parent', 'payments'];
  return [
    ['--id', 'payments', '--title', 'Payments'],
    ['--id', 'schema', '--title', 'Schema for refunds', ...below],
    ['--id', 'refund', '--title', 'Refund endpoint', '--prompt', prompt, ...below].concat([
      ...['--ac', '201 with the refund', '--ac', '409 on repeat', '--verify', 'npm test'],
    ]),
    ['--id', 'e2e', '--title', 'Refund e2e test', '--dep', 'refund', ...below],
    ['--id', 'notes', '--title', 'Release notes', '--dep', 'payments'],
  ];
}

async function until(text) {
  for (let tries = 0; tries < 300; tries++) {
    if (tmux('capture-pane', '-p', '-t', 'p').includes(text)) return;
    await delay(100);
  }
  throw new Error(`the screen never showed ${text}:\n${tmux('capture-pane', '-p', '-t', 'p')}`);
}

/** A screen with its colours, as text that can be selected. */
function svg(screen) {
  const palette = ['#1b1f24', '#e5534b', '#57ab5a', '#c69026', '#539bf5', '#b083f0', '#39c5cf', '#adbac7'];
  const lines = screen.trimEnd().split('\n');
  const texts = lines.flatMap((line, row) => {
    let [column, style] = [0, {}];
    return [...line.matchAll(/\x1b\[([\d;]*)m|([^\x1b]+)/g)].flatMap(([, codes, text]) => {
      if (text === undefined) {
        style = styled(style, codes.split(';').map(Number));
        return [];
      }
      const [left, base] = [16 + column * width, 44 + row * height];
      column += text.length;
      if (text.trim() === '') return [];
      const fill = style.color === undefined ? '#adbac7' : (palette[style.color] ?? '#adbac7');
      const look = `${style.bold ? ' font-weight="bold"' : ''}${style.dim ? ' opacity="0.6"' : ''}`;
      const length = `textLength="${(text.length * width).toFixed(1)}" lengthAdjust="spacingAndGlyphs"`;
      const at = `x="${left.toFixed(1)}" y="${base}" fill="${fill}"${look}`;
      const words = text.replace(/[┌┐└┘─│]/g, ' ');
      return [
        ...frame(text, left, base - 5).map((d) => `<path d="${d}" stroke="${fill}"${look}/>`),
        ...(words.trim() === ''
          ? []
          : [`<text ${at} ${length} xml:space="preserve">${escaped(words)}</text>`]),
      ];
    });
  });
  const size = [32 + columns * width, 60 + lines.length * height].map(Math.ceil);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.join(' ')}" role="img" aria-label="The terminal UI of Blackbird at a checkpoint">
<rect width="100%" height="100%" rx="8" fill="#1b1f24"/>
<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14" fill="none">
${texts.join('\n')}
</g>
</svg>
`;
}

/** The lines of a frame as strokes: as letters they would leave gaps between rows in most fonts. */
function frame(text, left, middle) {
  const [top, bottom] = [middle - height / 2, middle + height / 2];
  const strokes = [...text.matchAll(/─+|[┌┐└┘│]/g)].map(({0: mark, index}) => {
    const [start, center, end] = [0, 0.5, mark.length].map((at) => (left + (index + at) * width).toFixed(1));
    if (mark.startsWith('─')) return `M${start} ${middle}H${end}`;
    if (mark === '│') return `M${center} ${top}V${bottom}`;
    return `M${center} ${'┌┐'.includes(mark) ? bottom : top}V${middle}H${'┌└'.includes(mark) ? end : start}`;
  });
  return strokes.length === 0 ? [] : [strokes.join('')];
}

function styled(style, codes) {
  const next = {...style};
  for (let index = 0; index < codes.length; index++) {
    const code = codes[index];
    if (code === 0) return codes.length === 1 ? {} : styled({}, codes.slice(index + 1));
    if (code === 1) next.bold = true;
    if (code === 2) next.dim = true;
    if (code === 22) next.bold = next.dim = false;
    if (code >= 30 && code <= 37) next.color = code - 30;
    if (code >= 90 && code <= 97) next.color = code - 90;
    if (code === 39) next.color = undefined;
    if (code === 38) index += codes[index + 1] === 5 ? 2 : 4;
  }
  return next;
}

function escaped(text) {
  return text.replace(/[&<>]/g, (mark) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[mark]);
}
