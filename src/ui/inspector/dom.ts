type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

/** An element with attributes and children. Strings become text nodes: foreign text is never parsed as markup. */
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

/** An element of the page itself; its absence is a bug. */
export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`The page has no #${id}`);
  return found as T;
}

/** `true` is an attribute without a value; `false` and `undefined` omit it. */
function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    target.setAttribute(name, value === true ? '' : String(value));
  }
}

/** Keeps the keyboard focus when a list is replaced. */
export function replaceKeepingFocus(id: string, fresh: HTMLElement): void {
  const place = byId(id);
  const focused = document.activeElement;
  const isInside = focused instanceof HTMLElement && place.contains(focused);
  const {actor} = isInside ? focused.dataset : {};
  const {scrollTop} = place;
  place.replaceChildren(fresh);
  place.scrollTop = scrollTop;
  if (!isInside) return;
  const again = [...place.querySelectorAll<HTMLElement>('button')].find(
    ({dataset}) => dataset.actor === actor,
  );
  again?.focus({preventScroll: true});
}
