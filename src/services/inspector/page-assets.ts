import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

export type Asset = {readonly type: string; readonly body: Buffer};

/** The whole page. Nothing else is ever read for it, whatever is asked for. */
const files: Readonly<Record<string, {readonly file: string; readonly type: string}>> = {
  '': {file: 'index.html', type: 'text/html; charset=utf-8'},
  'page.css': {file: 'page.css', type: 'text/css; charset=utf-8'},
  'page.js': {file: 'page.js', type: 'text/javascript; charset=utf-8'},
  'elk/elk-api.js': {file: 'elk/elk-api.js', type: 'text/javascript; charset=utf-8'},
  'elk/elk-worker.min.js': {file: 'elk/elk-worker.min.js', type: 'text/javascript; charset=utf-8'},
};

export async function readAsset(name: string): Promise<Asset | null> {
  const asset = Object.hasOwn(files, name) ? files[name] : undefined;
  if (!asset) return null;
  return {type: asset.type, body: await readFile(path.join(assetFolder(), asset.file))};
}

/** The built page, as seen from `dist`, from `dist/chunks` and from the sources. */
function assetFolder(): string {
  const places = ['./inspector', '../inspector', '../../../dist/inspector'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(path.join(place, 'index.html'))) ?? places[0] ?? '';
}
