import path from 'node:path';

/**
 * Who may import what: folders of `src`, `node:` modules, packages. The longest matching folder decides.
 * `cli` is the outermost layer and may import everything.
 */
const rules: Readonly<Record<string, {folders: readonly string[]; packages: RegExp}>> = {
  'services/contracts': {folders: ['services/contracts'], packages: /^zod$/},
  services: {
    folders: ['services'],
    packages: /^(node:.+|execa|lowdb|simple-git|zod|@statelyai\/inspect|ws)$/,
  },
  machines: {folders: ['machines', 'services/contracts'], packages: /^xstate$/},
  ui: {folders: ['ui', 'machines', 'services/contracts'], packages: /^(react|ink|@xstate\/react)$/},
  cli: {folders: ['cli', 'ui', 'machines', 'services'], packages: /^.+$/},
};

/** What must be injected into pure code. */
const impurities: ReadonlyArray<readonly [name: string, use: RegExp]> = [
  ['Date.now', /\bDate\.now\b/],
  ['new Date()', /\bnew Date\(\s*\)/],
  ['Math.random', /\bMath\.random\b/],
  ['crypto', /\bcrypto\.\w/],
  ['process', /(?<![.\w])process\.(?:env|argv|cwd|exit|exitCode|stdout|stderr|stdin|hrtime|platform)\b/],
  ['console', /\bconsole\.\w/],
  ['performance', /\bperformance\.\w/],
  ['fetch', /\bfetch\(/],
];

/** Every import of a file in `src` that its layer forbids; the whole file if it is in no layer. */
export function forbiddenImports(file: string, text: string): string[] {
  const layer = layerOf(file);
  const rule = layer === undefined ? undefined : rules[layer];
  if (!rule) return [`${file} is in no layer`];
  return importsOf(text).filter((specifier) => {
    if (!specifier.startsWith('.')) return !rule.packages.test(specifier);
    const target = path.posix.join(path.posix.dirname(file), specifier);
    return !rule.folders.some((folder) => target.startsWith(`${folder}/`));
  });
}

/** Uses of the clock, randomness and the environment that must be injected. */
export function impureUses(file: string, text: string): string[] {
  const layer = layerOf(file);
  if (layer !== 'machines' && layer !== 'services/contracts') return [];
  const code = withoutComments(text, () => "''");
  return impurities.flatMap(([name, use]) => (use.test(code) ? [name] : []));
}

/** Everything a file imports, in any form; a computed import is `import(…)`. */
export function importsOf(text: string): string[] {
  const code = withoutComments(text);
  const found: Array<readonly [at: number, specifier: string]> = [];
  const collect = (pattern: RegExp) => {
    for (const match of code.matchAll(pattern)) found.push([match.index, match[2] ?? 'import(…)']);
  };
  collect(/^\s*(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])(.+?)\1/gm);
  collect(/^\s*import\s*(['"])(.+?)\1/gm);
  collect(/\b(?:import|require)\s*\(\s*(['"`])([^'"`$]+)\1\s*[,)]/g);
  collect(/\bimport\s*\(\s*(?!(['"`])[^'"`$]+\1\s*[,)])/g);
  return found.sort(([a], [b]) => a - b).map(([, specifier]) => specifier);
}

function layerOf(file: string): string | undefined {
  return Object.keys(rules).find((folder) => file.startsWith(`${folder}/`));
}

/** Replaces comments with spaces; string literals stay, or become what `literalOf` returns. */
function withoutComments(text: string, literalOf = (literal: string) => literal): string {
  const pattern = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(pattern, (all, literal: string | undefined) =>
    literal === undefined ? all.replace(/[^\n]/g, ' ') : literalOf(literal),
  );
}

/** Our files that a file imports statically, values or types; dynamic imports are not included. */
export function namedFiles(text: string): string[] {
  const statements = withoutComments(text).matchAll(
    /^\s*(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])(\.[^'"]+)\1/gm,
  );
  return [...statements].map(([, , specifier = '']) => specifier);
}

/** Removes all nodes without outgoing or without incoming edges; what is left of the graph are its cycles. */
export function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[] {
  let left = [...graph.keys()];
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const rest = new Set(left);
    const aimedAt = new Set(left.flatMap((file) => graph.get(file) ?? []));
    left = left.filter((file) => aimedAt.has(file) && graph.get(file)?.some((target) => rest.has(target)));
  }
  return left.sort();
}
