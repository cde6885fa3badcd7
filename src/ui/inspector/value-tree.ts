import {element} from './dom.ts';

/** Which branches the reader has opened or closed; they stay so while the moment changes. */
export type Folds = Map<string, boolean>;

/** Any JSON as a tree that folds. */
export function drawValue(value: unknown, folds: Folds, path = '$'): HTMLElement {
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
    const item = element('li');
    const isBranch = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0;
    if (isBranch) item.append(branch(name, inner, folds, `${path}.${name}`));
    else item.append(element('span', {class: 'key'}, name), ' ', drawValue(inner, folds, `${path}.${name}`));
    list.append(item);
  }
  return fields.length === 0
    ? element('span', {class: 'value null'}, Array.isArray(value) ? '[]' : '{}')
    : list;
}

function branch(name: string, value: object, folds: Folds, path: string): HTMLElement {
  const isOpen = folds.get(path) ?? path.split('.').length <= 2;
  const size = Object.keys(value).length;
  const summary = element(
    'summary',
    {},
    element('span', {class: 'key'}, name),
    element('span', {class: 'size'}, Array.isArray(value) ? ` [${size}]` : ` {${size}}`),
  );
  const details = element('details', {open: isOpen}, summary);
  // Filled when it is opened: a context can be large, and most of it stays closed.
  const fill = () => {
    if (details.open && details.childElementCount === 1) details.append(drawValue(value, folds, path));
  };
  fill();
  details.addEventListener('toggle', () => {
    folds.set(path, details.open);
    fill();
  });
  return details;
}
