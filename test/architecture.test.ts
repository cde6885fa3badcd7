import {readdirSync, readFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {circlesIn, forbiddenImports, importsOf, impureUses, namedFiles} from './helpers/import-rules.ts';

const source = path.resolve(import.meta.dirname, '../src');
const files = readdirSync(source, {recursive: true, encoding: 'utf8'})
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.replaceAll('\\', '/'))
  .sort();
const read = (file: string) => readFileSync(path.join(source, file), 'utf8');

test('the checker finds files to check', () => {
  expect(files.length).toBeGreaterThan(50);
});

test.each(files)('%s imports only what its layer allows', (file) => {
  expect(forbiddenImports(file, read(file))).toEqual([]);
});

test.each(files.filter((file) => /^(machines|services\/contracts)\//.test(file)))(
  '%s gets time, randomness and surroundings injected',
  (file) => {
    expect(impureUses(file, read(file))).toEqual([]);
  },
);

test('no file of src has a circular import, not even for a type', () => {
  const needed = (file: string) =>
    namedFiles(read(file)).map((specifier) => path.posix.join(path.posix.dirname(file), specifier));
  expect(circlesIn(new Map(files.map((file) => [file, needed(file)])))).toEqual([]);
});

/** Files with a reason to be longer than others of their kind. */
const longFiles: Readonly<Record<string, string>> = {
  // Styles of one part of the page; splitting them would not help.
  'src/ui/inspector/style/base.css': 'style',
  'src/ui/inspector/style/job.css': 'style',
  'src/ui/inspector/style/machines.css': 'style',
  // Everything the engine promises, in one harness.
  'test/machines/engine.test.ts': 'one harness',
  'test/machines/segment.machine.test.ts': 'one harness',
  'test/services/git/change-tracker.test.ts': 'one harness',
};

test.each([
  {folder: 'src', pattern: /\.(tsx?|css|cjs)$/, most: 300},
  {folder: 'scripts', pattern: /\.[cm]js$/, most: 300},
  // Tests stay with others of their subject.
  {folder: 'test', pattern: /\.(tsx?|mjs)$/, most: 800},
])('no file of $folder has more than $most lines without a reason', ({folder, pattern, most}) => {
  const root = path.resolve(source, '..', folder);
  const long = readdirSync(root, {recursive: true, encoding: 'utf8'})
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => pattern.test(file))
    .filter((file) => readFileSync(path.resolve(source, '..', file), 'utf8').split('\n').length - 1 > most);
  expect(long.filter((file) => !(file in longFiles))).toEqual([]);
});

describe('the checker', () => {
  test.each<{name: string; text: string; named: string[]}>([
    {
      name: 'values',
      text: "import {a} from './x.ts';\nexport {b} from './y.ts';",
      named: ['./x.ts', './y.ts'],
    },
    {name: 'type-only imports', text: "import type {A} from './x.ts';", named: ['./x.ts']},
    {name: 're-exported types', text: "export type {A} from './x.ts';", named: ['./x.ts']},
    {
      name: 'a package, a comment, and a dynamic import',
      text: "import 'zod';\n// import {a} from './a.ts';\nimport('./x.ts');",
      named: [],
    },
  ])('sees what a file imports: $name', ({text, named}) => {
    expect(namedFiles(text)).toEqual(named);
  });

  test.each<{graph: Record<string, string[]>; circles: string[]}>([
    {graph: {a: ['b', 'c'], b: ['c'], c: []}, circles: []},
    {graph: {a: ['b'], b: ['c'], c: ['b', 'd'], d: []}, circles: ['b', 'c']},
    {graph: {a: ['a']}, circles: ['a']},
  ])('sees the cycles of $graph', ({graph, circles}) => {
    expect(circlesIn(new Map(Object.entries(graph)))).toEqual(circles);
  });

  test.each<{file: string; text: string; forbidden: string[]}>([
    {file: 'services/contracts/a.ts', text: "import * as z from 'zod';", forbidden: []},
    {file: 'services/contracts/a.ts', text: "import {x} from './b.ts';", forbidden: []},
    {
      file: 'services/contracts/a.ts',
      text: "import {x} from '../stores/b.ts';",
      forbidden: ['../stores/b.ts'],
    },
    {file: 'services/contracts/a.ts', text: "import path from 'node:path';", forbidden: ['node:path']},
    {file: 'services/contracts/a.ts', text: "import {Low} from 'lowdb';", forbidden: ['lowdb']},
    {
      file: 'services/stores/a.ts',
      text: "import {x} from '../contracts/b.ts';\nimport fs from 'node:fs';",
      forbidden: [],
    },
    {
      file: 'services/stores/a.ts',
      text: "import {x} from '../../machines/b.ts';",
      forbidden: ['../../machines/b.ts'],
    },
    {file: 'services/stores/a.ts', text: "import {createActor} from 'xstate';", forbidden: ['xstate']},
    {file: 'services/stores/a.ts', text: "import fs from 'fs';", forbidden: ['fs']},
    {
      file: 'machines/policies/a.ts',
      text: "import {x} from '../b.ts';\nimport {setup} from 'xstate';",
      forbidden: [],
    },
    {
      file: 'machines/policies/a.ts',
      text: "import type {x} from '../../services/stores/b.ts';",
      forbidden: ['../../services/stores/b.ts'],
    },
    {
      file: 'machines/a.ts',
      text: "import {x} from '../services/contracts-other/b.ts';",
      forbidden: ['../services/contracts-other/b.ts'],
    },
    {file: 'machines/a.ts', text: "import * as z from 'zod';", forbidden: ['zod']},
    {file: 'machines/a.ts', text: "import {x} from 'xstate/graph';", forbidden: ['xstate/graph']},
    {
      file: 'machines/a.ts',
      text: "import {readFile} from 'node:fs/promises';",
      forbidden: ['node:fs/promises'],
    },
    {file: 'ui/a.tsx', text: "import {Box} from 'ink';\nimport {x} from '../machines/b.ts';", forbidden: []},
    {
      file: 'ui/a.tsx',
      text: "import {x} from '../services/stores/b.ts';",
      forbidden: ['../services/stores/b.ts'],
    },
    {file: 'ui/a.tsx', text: "import {x} from '../cli/b.ts';", forbidden: ['../cli/b.ts']},
    {
      file: 'cli/a.ts',
      text: "import {x} from '../services/stores/b.ts';\nimport {Command} from 'commander';",
      forbidden: [],
    },
    {
      file: 'cli/a.ts',
      text: "import {x} from '../../test/helpers/b.ts';",
      forbidden: ['../../test/helpers/b.ts'],
    },
    {file: 'other/a.ts', text: '', forbidden: ['other/a.ts is in no layer']},
    {file: 'a.ts', text: '', forbidden: ['a.ts is in no layer']},
  ])('in $file: $text', ({file, text, forbidden}) => {
    expect(forbiddenImports(file, text)).toEqual(forbidden);
  });

  test.each<{name: string; text: string; imports: string[]}>([
    {name: 'several lines', text: "import {\n  a,\n  type B,\n} from './x.ts';", imports: ['./x.ts']},
    {name: 'types', text: "import type {A} from './x.ts';", imports: ['./x.ts']},
    {name: 'double quotes', text: 'import a from "./x.ts";', imports: ['./x.ts']},
    {name: 'only for its effects', text: "import './x.ts';", imports: ['./x.ts']},
    {
      name: 'a re-export',
      text: "export * from './x.ts';\nexport {a} from './y.ts';\nexport type {B} from './z.ts';",
      imports: ['./x.ts', './y.ts', './z.ts'],
    },
    {name: 'a dynamic import', text: "const a = await import('./x.ts');", imports: ['./x.ts']},
    {
      name: 'with attributes',
      text: "await import('./x.json', {with: {type: 'json'}});",
      imports: ['./x.json'],
    },
    {name: 'as a type', text: "type A = import('./x.ts').A;", imports: ['./x.ts']},
    {name: 'require', text: "const a = require('./x.cjs');", imports: ['./x.cjs']},
    {
      name: 'computed',
      text: ['await import(name); await import(`./$', '{name}.ts`);'].join(''),
      imports: ['import(…)', 'import(…)'],
    },
    {
      name: 'two on a line',
      text: "import a from './x.ts'; const b = await import('./y.ts');",
      imports: ['./x.ts', './y.ts'],
    },
    {
      name: 'nothing in a comment',
      text: "// import a from './x.ts';\n/* import('./y.ts')\nimport './z.ts' */",
      imports: [],
    },
    {
      name: 'nothing in an export of its own',
      text: "export const from = 'here';\nexport function f() { return 'x'; }",
      imports: [],
    },
    {name: 'import.meta.url', text: "const here = import.meta.dirname + 'x';", imports: []},
  ])('sees imports: $name', ({text, imports}) => {
    expect(importsOf(text)).toEqual(imports);
  });

  test.each<{file: string; text: string; uses: string[]}>([
    {
      file: 'machines/a.ts',
      text: 'const at = Date.now(); new Date(); Math.random(); process.cwd(); console.log(1)',
      uses: ['Date.now', 'new Date()', 'Math.random', 'process', 'console'],
    },
    {
      file: 'services/contracts/a.ts',
      text: 'performance.now(); crypto.randomUUID(); fetch(url)',
      uses: ['crypto', 'performance', 'fetch'],
    },
    {
      file: 'machines/a.ts',
      text: "new Date(text); Date.parse(text); // Date.now()\nconst {process} = event; event.process.pid; process.interrupt(); 'process.env'",
      uses: [],
    },
    {file: 'services/stores/a.ts', text: 'Date.now()', uses: []},
  ])('sees what should be injected in $file: $text', ({file, text, uses}) => {
    expect(impureUses(file, text)).toEqual(uses);
  });
});
