// The figures as text for a terminal and as tables of a page; the page keeps what stands around its marks.
const marks = {from: '<!-- figures: made by npm run bench -- --write -->', to: '<!-- end of figures -->'};

export function asText({title, figures}) {
  const lines = figures.map(({what, value, unit, floor, floorValue, ratio, note}) =>
    [
      `  ${what.padEnd(44)} ${amount(value).padStart(8)} ${unit.padEnd(7)}`,
      `${times(ratio).padStart(9)} ${floor} (${amount(floorValue)} ${unit})`,
      note && `  ${note}`,
    ].join(''),
  );
  return [title, ...lines].join('\n');
}

export function asTables(sections) {
  return sections
    .flatMap(({title, figures}) => [
      `### ${title}`,
      '',
      '| what | measured | floor | ratio |',
      '| ---- | -------: | :---- | ----: |',
      ...figures.map(
        ({what, value, unit, floor, floorValue, ratio, note}) =>
          `| ${what}${note && ` (${note})`} | ${amount(value)} ${unit} | ${floor}: ${amount(floorValue)} ${unit} | ${times(ratio)} |`,
      ),
      '',
    ])
    .join('\n');
}

/** The page with these lines in place of those between its marks. */
export function replaceFigures(page, text) {
  const [from, to] = [page.indexOf(marks.from), page.indexOf(marks.to)];
  if (from < 0 || to < from) throw new Error(`the page has no "${marks.from}" and "${marks.to}"`);
  return `${page.slice(0, from + marks.from.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}

/** Three digits, whatever the size. */
export function amount(value) {
  if (value === 0 || value >= 99.5) return Math.round(value).toLocaleString('en');
  if (value < 0.1) return value.toPrecision(2);
  return value.toFixed(value >= 9.95 ? 1 : 2);
}

const times = (ratio) => (ratio === null ? '–' : `${amount(ratio)} ×`);
