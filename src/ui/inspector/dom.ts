type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

/** An element with attributes and contents. Texts become text nodes: nothing foreign is ever read as markup. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(tag);
  setAttributes(created, attributes);
  created.append(...children);
  return created;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[K] {
  const created = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(created, attributes);
  created.append(...children);
  return created;
}

/** An element that the page itself has; its absence is a bug. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return found as T;
}

/** `true` is an attribute without a value, `false` and `undefined` none. */
function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    target.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Scrolls a part into view by hand: `scrollIntoView` would also move where the next Tab starts. */
export function reveal(place: HTMLElement, part: Element | null, where: 'nearest' | 'center'): void {
  if (!part) return;
  const [around, inner] = [place.getBoundingClientRect(), part.getBoundingClientRect()];
  const shift = (start: number, end: number, from: number, to: number) => {
    if (where === 'center') return (start + end) / 2 - (from + to) / 2;
    return start < from ? start - from : Math.max(0, end - to);
  };
  place.scrollTop += shift(inner.top, inner.bottom, around.top, around.bottom);
  place.scrollLeft += shift(inner.left, inner.right, around.left, around.right);
}
