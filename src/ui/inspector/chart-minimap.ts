import {type Box, boxesOf} from './chart-camera.ts';
import type {LaidOutChart} from './chart-layout.ts';
import {svg} from './dom.ts';

const [width, height] = [150, 110] as const;

/** The whole chart in a corner with the visible part marked; hidden if everything is visible. */
export class Minimap {
  readonly drawing = svg('svg', {class: 'minimap', width, height, 'aria-hidden': 'true'});
  #size = {width: 1, height: 1};

  constructor(onMove: (x: number, y: number) => void) {
    const move = (event: PointerEvent) => {
      const {left, top} = this.drawing.getBoundingClientRect();
      const scale = Math.max(this.#size.width / width, this.#size.height / height);
      onMove((event.clientX - left) * scale, (event.clientY - top) * scale);
    };
    this.drawing.addEventListener('pointerdown', (event) => {
      this.drawing.setPointerCapture(event.pointerId);
      move(event);
    });
    this.drawing.addEventListener('pointermove', (event) => {
      if (event.buttons === 1) move(event);
    });
  }

  show({elk, states, ...size}: LaidOutChart, seen: Box, active: ReadonlySet<string>): void {
    this.#size = size;
    const isWhole =
      seen.x <= 0 && seen.y <= 0 && seen.x + seen.width >= size.width && seen.y + seen.height >= size.height;
    this.drawing.toggleAttribute('hidden', isWhole);
    const scale = Math.max(size.width / width, size.height / height);
    this.drawing.setAttribute('width', String(size.width / scale));
    this.drawing.setAttribute('height', String(size.height / scale));
    this.drawing.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    const boxes = [...boxesOf(elk)].filter(([id]) => states.has(id));
    this.drawing.replaceChildren(
      ...boxes.map(([id, box]) => {
        const isActive = active.has(id) && states.get(id)?.states.length === 0;
        return svg('rect', {class: isActive ? 'active' : 'box', ...box});
      }),
      svg('rect', {class: 'seen', ...seen}),
    );
  }
}
