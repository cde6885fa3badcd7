import {readFileSync} from 'node:fs';
import path from 'node:path';
import {build} from 'esbuild';
import {expect, test} from 'vitest';

const root = path.resolve(import.meta.dirname, '..');

// What every command loads before it does anything, and what reading a plan adds.
test.each(['src/cli/run-process.ts', 'src/cli/composition.ts'])(
  '%s loads none of the heavy packages at start-up',
  async (entry) => {
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
    const heavy = /node_modules\/(zod|xstate|execa|simple-git|ink|react)\/|^node:crypto$/;
    const importer = new Map<string, string>([[entry, '']]);
    for (const file of importer.keys()) {
      for (const {path: target, kind} of metafile.inputs[file]?.imports ?? []) {
        if (kind !== 'dynamic-import' && !importer.has(target)) importer.set(target, file);
      }
    }
    const found = [...importer].filter(([file, by]) => heavy.test(file) && !heavy.test(by));
    expect(found.map(([file, by]) => `${by} loads ${file}`)).toEqual([]);
  },
);

test('the first file that runs uses syntax that the oldest Nodes can parse', () => {
  const text = readFileSync(path.join(root, 'src/cli/start.cjs'), 'utf8').replace(/^\s*\/\/.*$/gm, '');
  expect(text).not.toMatch(/=>|`|\b(const|let|import|class|async|await)\b|,\s*\)/);
});
