import {store, stored} from './theme.ts';

const stride = 16;

/** Draggable lines between columns, also movable with the arrow keys. Each sets one CSS length of the page. */
export function followSplitters(): void {
  for (const line of document.querySelectorAll<HTMLElement>('.splitter')) {
    const {sets = '', from = 'left'} = line.dataset;
    const [least, most] = [
      Number(line.getAttribute('aria-valuemin')),
      Number(line.getAttribute('aria-valuemax')),
    ];
    const sign = from === 'left' ? 1 : -1;
    const current = () => Number(line.getAttribute('aria-valuenow'));
    const set = (length: number) => {
      const value = Math.round(Math.max(least, Math.min(most, length)));
      line.setAttribute('aria-valuenow', String(value));
      document.documentElement.style.setProperty(sets, `${value}px`);
      store(sets, String(value));
    };
    // A movable line must be focusable.
    line.tabIndex = 0;
    const kept = Number(stored(sets));
    if (kept > 0) set(kept);
    line.addEventListener('pointerdown', (event) => {
      line.setPointerCapture(event.pointerId);
      const [start, length] = [event.clientX, current()];
      const move = ({clientX}: PointerEvent) => set(length + sign * (clientX - start));
      line.addEventListener('pointermove', move);
      line.addEventListener('pointerup', () => line.removeEventListener('pointermove', move), {once: true});
    });
    line.addEventListener('keydown', (event) => {
      const by = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (by === undefined) return;
      set(current() + sign * by * stride);
      event.preventDefault();
    });
  }
}
