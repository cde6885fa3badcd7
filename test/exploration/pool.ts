import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {Worker} from 'node:worker_threads';
import {build, type Plugin} from 'esbuild';
import type {Errand, Explored} from './worker.ts';

/** A mistake in the source, made while it is bundled: each text occurs exactly once in the file. */
export type Mistake = {
  readonly file: string;
  readonly edits: ReadonlyArray<readonly [find: string, replace: string]>;
};

/** The explorer and the machines as one text that a thread can run, possibly with a mistake. */
export async function bundleExplorer(root: string, mistake?: Mistake): Promise<string> {
  const {outputFiles} = await build({
    entryPoints: [path.join(root, 'test', 'exploration', 'worker.ts')],
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    alias: {vitest: path.join(root, 'test', 'exploration', 'no-vitest.ts')},
    plugins: mistake ? [withMistake(root, mistake)] : [],
  });
  return outputFiles[0]?.text ?? '';
}

function withMistake(root: string, {file, edits}: Mistake): Plugin {
  const meant = path.join(root, file);
  return {
    name: 'with-mistake',
    setup: ({onLoad}) => {
      onLoad({filter: /\.ts$/}, async ({path: loaded}) => {
        if (loaded !== meant) return null;
        let contents = await readFile(meant, 'utf8');
        for (const [find, replace] of edits) {
          if (contents.split(find).length !== 2)
            throw new Error(`${file} does not hold exactly once: ${find}`);
          contents = contents.replace(find, () => replace);
        }
        return {contents, loader: 'ts'};
      });
    },
  };
}

/** One request in its own thread. */
export function runErrand(code: string, errand: Errand): Promise<Explored> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, {
      eval: true,
      workerData: errand,
      // Walks leave much garbage.
      resourceLimits: {maxYoungGenerationSizeMb: 128},
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`${errand.scenario.name} ended without figures`)));
  });
}

/** This many at a time, each result in its place. */
export async function inTurn<T, R>(
  items: readonly T[],
  threads: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const line = async () => {
    for (let place = next++; place < items.length; place = next++)
      results[place] = await run(items[place] as T);
  };
  await Promise.all(Array.from({length: threads}, line));
  return results;
}

/** A finding in readable form: what is wrong, and every event on the way there. */
export function findingText({words, invariant, path: legs}: Explored['findings'][number]): string {
  const lines = legs.flatMap(({command, events}) => [
    `  a person: ${command}`,
    ...events.map((event) => `    ${event}`),
  ]);
  return [`${invariant}: ${words}`, ...lines].join('\n');
}
