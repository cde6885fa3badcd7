import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The exports of a module of TypeScript, whose imports start at the root of the clone. */
export async function importSource(contents) {
  const folder = await mkdtemp(path.join(tmpdir(), 'blackbird-source-'));
  try {
    const outfile = path.join(folder, 'source.mjs');
    await build({
      stdin: {contents, resolveDir: root},
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      logLevel: 'warning',
      banner: {
        js: "import {createRequire} from 'node:module'; const require = createRequire(import.meta.url);",
      },
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, {recursive: true, force: true});
  }
}
