// The figures as a picture: how costs grow with the plan, and every ratio to its floor, on scales that are logarithmic.
import {amount} from './report.mjs';

const [width, margin, rowHeight, curveHeight] = [960, 24, 20, 220];
const colors = ['#2f6f9f', '#c2571a', '#8a8a8a'];
const style = `text{font:12px system-ui,sans-serif;fill:#333}.title{font-weight:600}.faint{fill:#777}.grid{stroke:#ddd}
.back{fill:#fff}@media(prefers-color-scheme:dark){text{fill:#ddd}.faint{fill:#999}.grid{stroke:#444}.back{fill:#14171a}}`;

export function plotOf(sections) {
  const curves = sections.flatMap(({curves = []}) => curves);
  const wide = (width - margin * (curves.length + 1)) / Math.max(1, curves.length);
  const drawn = curves.map((curve, index) => curveOf(curve, margin + index * (wide + margin), wide));
  const {lines, height} = bars(sections, margin + (curves.length > 0 ? curveHeight + margin * 2 : 0));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}"><title>Speed of Blackbird</title>`,
    `<style>${style}</style><rect class="back" width="${width}" height="${height}"/>`,
    ...drawn.flat(),
    ...lines,
    '</svg>\n',
  ].join('\n');
}

function curveOf({title, x, y, lines}, left, wide) {
  const points = lines.flatMap((line) => line.points).filter(([, value]) => value > 0);
  const [xs, ys] = [points.map(([value]) => value), points.map(([, value]) => value)];
  const inner = {
    left: left + 44,
    right: left + wide - 8,
    top: margin + 28,
    bottom: margin + curveHeight - 30,
  };
  const scaleX = logScale(Math.min(...xs), Math.max(...xs), inner.left, inner.right);
  const scaleY = logScale(Math.min(...ys) / 1.5, Math.max(...ys) * 1.5, inner.bottom, inner.top);
  const ticks = [...new Set(xs)].map((value) =>
    text(scaleX(value), inner.bottom + 16, value.toLocaleString('en'), 'faint', 'middle'),
  );
  const grid = decades(Math.min(...ys) / 1.5, Math.max(...ys) * 1.5).map(
    (value) =>
      `<line class="grid" x1="${inner.left}" x2="${inner.right}" y1="${at(scaleY(value))}" y2="${at(scaleY(value))}"/>` +
      text(inner.left - 6, scaleY(value) + 4, amount(value), 'faint', 'end'),
  );
  const drawn = lines.map(({name, points: all}, index) => {
    const some = all.filter(([, value]) => value > 0);
    const path = some.map(([px, py]) => `${at(scaleX(px))},${at(scaleY(py))}`);
    const color = colors[index % colors.length];
    const dots = some.map(
      ([px, py]) => `<circle cx="${at(scaleX(px))}" cy="${at(scaleY(py))}" r="3" fill="${color}"/>`,
    );
    const [, last] = some.at(-1);
    const label = text(inner.right, scaleY(last) - 8, `${name}: ${amount(last)} ${y}`, '', 'end');
    return `<polyline points="${path.join(' ')}" fill="none" stroke="${color}" stroke-width="2"/>${dots.join('')}${label}`;
  });
  return [text(left, margin + 8, `${title}, ${y}, by ${x}`, 'title'), ...grid, ...ticks, ...drawn];
}

function bars(sections, top) {
  const [labels, from, to] = [margin + 290, margin + 300, width - margin - 260];
  const ratios = sections.flatMap(({figures}) => figures.flatMap(({ratio}) => (ratio > 0 ? [ratio] : [])));
  // One bar may be off the scale to the left; all others stay legible.
  const scale = logScale(Math.max(0.02, Math.min(0.1, ...ratios)), Math.max(10, ...ratios), from, to);
  const lines = [];
  let y = top;
  for (const {title, figures} of sections) {
    y += rowHeight;
    lines.push(text(margin, y, title, 'title'));
    for (const {what, value, unit, floor, ratio} of figures) {
      y += rowHeight;
      lines.push(text(labels, y, what, '', 'end'));
      if (!(ratio > 0)) {
        lines.push(text(scale(1) + 6, y, `${amount(value)} ${unit}`, 'faint'));
        continue;
      }
      const [a, b] = [scale(1), Math.max(from, scale(ratio))].sort((one, other) => one - other);
      const color = colors[ratio > 1 ? 0 : 2];
      lines.push(
        `<rect x="${at(a)}" y="${y - 10}" width="${at(Math.max(1, b - a))}" height="12" fill="${color}"/>`,
      );
      lines.push(
        text(Math.max(b, a) + 6, y, `${amount(ratio)} × ${floor} (${amount(value)} ${unit})`, 'faint'),
      );
    }
  }
  const one = at(scale(1));
  lines.push(`<line class="grid" x1="${one}" x2="${one}" y1="${top + 6}" y2="${y + 6}"/>`);
  return {lines, height: y + margin};
}

function logScale(low, high, from, to) {
  const [a, b] = [Math.log(low), Math.log(high)];
  return (value) => (a === b ? from : from + ((Math.log(value) - a) / (b - a)) * (to - from));
}

/** 1, 2 and 5 of each power of ten between. */
function decades(low, high) {
  const values = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (const step of [1, 2, 5]) values.push(step * 10 ** power);
  }
  return values.filter((value) => value >= low && value <= high);
}

const at = (value) => Number(value.toFixed(1));

function text(x, y, content, kind = '', anchor = 'start') {
  const escaped = content.replace(/[&<>]/g, (sign) => ({'&': '&amp;', '<': '&lt;', '>': '&gt;'})[sign]);
  return `<text x="${at(x)}" y="${at(y)}" class="${kind}" text-anchor="${anchor}">${escaped}</text>`;
}
