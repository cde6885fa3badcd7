import type {Size} from './chart-layout.ts';
import {element, svg} from './dom.ts';

/** Saves a text as a file. */
export function download(name: string, type: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], {type}));
  element('a', {href: address, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(address), 1_000);
}

/** The styles a standalone drawing needs, with the page's current colours. */
const rules = `
text{font:11px system-ui,"DejaVu Sans",sans-serif;fill:INK}
.name{font-size:13px;font-weight:600}
.state>rect{fill:BOX;stroke:QUIET}
.state.holds>rect{fill:PAPER;stroke:RULE}
.state.region>rect{stroke-dasharray:5 4}
.state.never{opacity:.55}
.state.active:not(.holds)>rect{fill:ACCENT;stroke:ACCENT}
.state.active:not(.holds) text{fill:ONACCENT}
.state.active.holds>rect{stroke:ACCENT}
.state .line{fill:QUIET}
.edge path{fill:none;stroke:QUIET;stroke-width:1.1}
.edge.taken path{stroke:ACCENT;stroke-width:3.2}
.edge-label text{fill:QUIET;paint-order:stroke;stroke:PAPER;stroke-width:5px}
.taken{fill:ACCENT;font-weight:600}
#arrow path,.initial{fill:QUIET}
#arrow-taken path{fill:ACCENT}
.visits rect{fill:PAPER;stroke:QUIET}
`;

/** A complete drawing as a file of its own. */
export function standaloneSvg(drawing: SVGSVGElement, {width, height}: Size): string {
  const copy = drawing.cloneNode(true) as SVGSVGElement;
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('viewBox', `0 0 ${width} ${height}`);
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.prepend(svg('style', {}, withColors(rules)), svg('rect', {width, height, fill: color('--ground')}));
  return new XMLSerializer().serializeToString(copy);
}

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function withColors(text: string): string {
  const names = {
    ONACCENT: '--on-accent',
    ACCENT: '--accent',
    QUIET: '--quiet',
    PAPER: '--paper',
    RULE: '--rule',
    INK: '--ink',
    BOX: '--box',
  };
  return Object.entries(names).reduce((all, [word, name]) => all.replaceAll(word, color(name)), text);
}
