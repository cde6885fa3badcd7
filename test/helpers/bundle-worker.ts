import path from 'node:path';
import {build} from 'esbuild';

/** Bundles a TypeScript file of `test` for plain Node; returns the path of the result. */
export async function bundleWorker(source: string, folder: string): Promise<string> {
  const name = path.basename(source).replace(/\.ts$/, '.mjs');
  await build({
    entryPoints: [path.resolve(import.meta.dirname, '..', source)],
    outfile: path.join(folder, name),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
  });
  return path.join(folder, name);
}
