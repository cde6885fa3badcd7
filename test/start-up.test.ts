import {readFileSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {expect, test} from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

// What every command loads before it does anything, what reading a plan adds, and what the first snapshot adds.
test.each([
  {entry: 'src/cli/run-process.ts', heavy: /^(zod|xstate|execa|simple-git|ink|react|node:crypto)$/},
  {entry: 'src/cli/composition.ts', heavy: /^(zod|xstate|execa|simple-git|ink|react|node:crypto)$/},
  {entry: 'src/services/git/change-tracker.ts', heavy: /^(zod|xstate|execa|ink|react)$/},
])('$entry loads none of the heavy packages at start-up', async ({entry, heavy}) => {
  const {metafile} = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    outdir: 'nowhere',
    external: ['react-devtools-core'],
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  const isHeavy = (file: string) => heavy.test(/node_modules\/([^/]+)\//.exec(file)?.[1] ?? file);
  const importer = new Map<string, string>([[entry, '']]);
  for (const file of importer.keys()) {
    for (const {path: target, kind} of metafile.inputs[file]?.imports ?? []) {
      if (kind !== 'dynamic-import' && !importer.has(target)) importer.set(target, file);
    }
  }
  const found = [...importer].filter(([file, by]) => isHeavy(file) && !isHeavy(by));
  expect(found.map(([file, by]) => `${by} loads ${file}`)).toEqual([]);
});

test('the first file that runs uses syntax that the oldest Nodes can parse', () => {
  const text = readFileSync(path.join(root, 'src/cli/start.cjs'), 'utf8').replace(/^\s*\/\/.*$/gm, '');
  expect(text).not.toMatch(/=>|`|\b(const|let|import|class|async|await)\b|,\s*\)/);
});
