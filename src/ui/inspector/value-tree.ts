import {element} from './dom.ts';

/** Which branches the reader opened or closed; kept while the moment changes. */
export type Folds = Map<string, boolean>;

/** Any JSON as a foldable tree; changed fields are marked. */
export function drawValue(
  value: unknown,
  folds: Folds,
  changed: ReadonlySet<string> = new Set(),
  path = '$',
): HTMLElement {
  if (typeof value !== 'object' || value === null) {
    return element(
      'span',
      {class: `value ${value === null ? 'null' : typeof value}`},
      JSON.stringify(value) ?? 'undefined',
    );
  }
  const fields = Object.entries(value);
  const list = element('ul', {class: 'fields'});
  for (const [name, inner] of fields) {
    const below = `${path}.${name}`;
    const item = element('li', {class: changed.has(below) ? 'changed' : undefined});
    const isBranch = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
    if (isBranch) item.append(branch(name, inner, folds, changed, below));
    else item.append(element('span', {class: 'key'}, name), ' ', drawValue(inner, folds, changed, below));
    list.append(item);
  }
  return fields.length === 0
    ? element('span', {class: 'value null'}, Array.isArray(value) ? '[]' : '{}')
    : list;
}

function branch(
  name: string,
  value: object,
  folds: Folds,
  changed: ReadonlySet<string>,
  path: string,
): HTMLElement {
  const isOpen = folds.get(path) ?? path.split('.').length <= 2;
  const size = Object.keys(value).length;
  const holdsChange = [...changed].some((each) => each.startsWith(`${path}.`));
  const summary = element(
    'summary',
    {class: holdsChange ? 'holds-change' : undefined},
    element('span', {class: 'key'}, name),
    element('span', {class: 'size'}, Array.isArray(value) ? ` [${size}]` : ` {${size}}`),
  );
  const details = element('details', {open: isOpen}, summary);
  // Filled when opened: a context can be large, and most of it stays closed.
  const fill = () => {
    if (details.open && details.childElementCount === 1)
      details.append(drawValue(value, folds, changed, path));
  };
  fill();
  details.addEventListener('toggle', fill);
  // Clicks only: drawing it fires a toggle event as well.
  summary.addEventListener('click', () => folds.set(path, !details.open));
  return details;
}
