import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {Worker} from 'node:worker_threads';
import {build, type Plugin} from 'esbuild';
import type {WorkerInput, WorkerResult} from './worker.ts';

/** A mistake planted in the source while it is bundled: each `find` occurs exactly once in the file. */
export type SourcePatch = {
  readonly file: string;
  readonly edits: ReadonlyArray<readonly [find: string, replace: string]>;
};

/** The explorer and the machines as one text that a thread can run, possibly patched. */
export async function bundleExplorer(root: string, patch?: SourcePatch): Promise<string> {
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
    plugins: patch ? [applyPatch(root, patch)] : [],
  });
  return outputFiles[0]?.text ?? '';
}

function applyPatch(root: string, {file, edits}: SourcePatch): Plugin {
  const target = path.join(root, file);
  return {
    name: 'with-patch',
    setup: ({onLoad}) => {
      onLoad({filter: /\.ts$/}, async ({path: loaded}) => {
        if (loaded !== target) return null;
        let contents = await readFile(target, 'utf8');
        for (const [find, replace] of edits) {
          if (contents.split(find).length !== 2)
            throw new Error(`${file} does not contain exactly once: ${find}`);
          contents = contents.replace(find, () => replace);
        }
        return {contents, loader: 'ts'};
      });
    },
  };
}

/** Explores one scenario in its own thread. */
export function exploreInWorker(code: string, input: WorkerInput): Promise<WorkerResult> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(code, {
      eval: true,
      workerData: input,
      // Walks leave much garbage.
      resourceLimits: {maxYoungGenerationSizeMb: 128},
    });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error(`${input.scenario.name} ended without figures`)));
  });
}

/** This many at a time, each result in its place. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  threads: number,
  run: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    for (let place = next++; place < items.length; place = next++)
      results[place] = await run(items[place] as T);
  };
  await Promise.all(Array.from({length: threads}, worker));
  return results;
}

/** A finding in readable form: what is wrong, and every event on the way there. */
export function findingText({text, invariant, path: steps}: WorkerResult['findings'][number]): string {
  const lines = steps.flatMap(({command, events}) => [
    `  a person: ${command}`,
    ...events.map((event) => `    ${event}`),
  ]);
  return [`${invariant}: ${text}`, ...lines].join('\n');
}
