type Point = {readonly x: number; readonly y: number};

/** What the pointer can do with a drawing. */
export type Gestures = {
  readonly pan: (by: Point) => void;
  /** `at` is relative to the centre. */
  readonly zoom: (by: number, at: Point) => void;
  /** The state under the pointer, or null. */
  readonly point: (state: string | null) => void;
};

/** Drag pans, the wheel zooms (pans with shift), two fingers do both. */
export function followPointer(place: HTMLElement, {pan, zoom, point}: Gestures): void {
  const touches = new Map<number, Point>();
  const spread = () => {
    const [a, b] = [...touches.values()];
    return a && b ? Math.hypot(a.x - b.x, a.y - b.y) : null;
  };
  const fromMiddle = ({clientX, clientY}: MouseEvent): Point => {
    const {left, top, width, height} = place.getBoundingClientRect();
    return {x: clientX - left - width / 2, y: clientY - top - height / 2};
  };
  place.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || (event.target as Element).closest('.minimap')) return;
    touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
    place.setPointerCapture(event.pointerId);
    place.classList.add('dragged');
  });
  place.addEventListener('pointermove', (event) => {
    const before = touches.get(event.pointerId);
    if (!before) return point(stateAt(event.target));
    const spreadBefore = spread();
    touches.set(event.pointerId, {x: event.clientX, y: event.clientY});
    const spreadNow = spread();
    if (spreadBefore !== null && spreadNow !== null) zoom(spreadNow / spreadBefore, fromMiddle(event));
    else pan({x: before.x - event.clientX, y: before.y - event.clientY});
  });
  for (const type of ['pointerup', 'pointercancel'] as const) {
    place.addEventListener(type, (event) => {
      touches.delete(event.pointerId);
      if (touches.size === 0) place.classList.remove('dragged');
    });
  }
  place.addEventListener('pointerleave', () => point(null));
  place.addEventListener('focusin', (event) => point(stateAt(event.target)));
  place.addEventListener(
    'wheel',
    (event) => {
      event.preventDefault();
      const {deltaX, deltaY, shiftKey} = event;
      if (shiftKey || Math.abs(deltaX) > Math.abs(deltaY)) pan({x: deltaX || deltaY, y: 0});
      else zoom(Math.exp(-deltaY / 400), fromMiddle(event));
    },
    {passive: false},
  );
}

const stateAt = (target: EventTarget | null): string | null =>
  (target instanceof Element ? target.closest<SVGGElement>('.state:not(.holds)') : null)?.dataset.state ??
  null;
