// Explores the machines to the end of the stated bounds, then plants every fault: npm run verify:machines.
// `npm run verify:machines -- [seconds for each scenario] [scenario…]`: 900 seconds and all of them unless told otherwise.
import {mkdir} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {build} from 'esbuild';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = path.join(root, 'node_modules', '.cache', 'exploration');
const outfile = path.join(folder, 'verify.mjs');
await mkdir(folder, {recursive: true});
await build({
  entryPoints: [path.join(root, 'test', 'exploration', 'verify.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  logLevel: 'error',
  external: ['esbuild'],
  alias: {vitest: path.join(root, 'test', 'exploration', 'no-vitest.ts')},
});
const {verify} = await import(pathToFileURL(outfile).href);
const [seconds = '900', ...names] = process.argv.slice(2);
if (!(await verify(root, Number(seconds), names))) process.exitCode = 1;
