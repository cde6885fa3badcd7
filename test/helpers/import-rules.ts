import path from 'node:path';

/**
 * Who may import what: folders of `src`, `node:` modules, packages. The longest folder that a file is in
 * decides. `cli` is the outermost layer and may import everything.
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

/** What pure code gets injected instead of reaching for it. */
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

/** Every import of a file of `src` that its layer does not allow; the whole file when it is in no layer. */
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

/** Uses of the clock, of chance and of the surroundings, where they have to be injected. */
export function impureUses(file: string, text: string): string[] {
  const layer = layerOf(file);
  if (layer !== 'machines' && layer !== 'services/contracts') return [];
  const code = withoutComments(text, () => "''");
  return impurities.flatMap(([name, use]) => (use.test(code) ? [name] : []));
}

/** Everything a file imports, by whatever means; an import that is computed is `import(…)`. */
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

/** Comments become spaces; texts stay as they are, or become what `literal` makes of them. */
function withoutComments(text: string, literalOf = (literal: string) => literal): string {
  const pattern = /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(pattern, (all, literal: string | undefined) =>
    literal === undefined ? all.replace(/[^\n]/g, ' ') : literalOf(literal),
  );
}

/** The files of ours that a file names at its top, for values or for types alone; what it loads later is not among them. */
export function namedFiles(text: string): string[] {
  const statements = withoutComments(text).matchAll(
    /^\s*(?:import|export)\b[^'"`;()]*?\bfrom\s*(['"])(\.[^'"]+)\1/gm,
  );
  return [...statements].map(([, , specifier = '']) => specifier);
}

/** What is left of a graph when all that lead nowhere are taken off, and all that nothing leads to: its circles. */
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
