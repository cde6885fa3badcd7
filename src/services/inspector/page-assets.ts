import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {systemErrorCode} from '../contracts/errors.ts';

export type Asset = {readonly type: string; readonly body: Buffer};

/** The whole page. Nothing else is ever read for it, whatever is asked for. */
const files: Readonly<Record<string, {readonly file: string; readonly type: string}>> = {
  '': {file: 'index.html', type: 'text/html; charset=utf-8'},
  'style.css': {file: 'style.css', type: 'text/css; charset=utf-8'},
  'page.js': {file: 'page.js', type: 'text/javascript; charset=utf-8'},
};

/** The charts, laid out; a machine is named by letters. */
const layoutForm = /^layouts\/[A-Za-z]{1,40}\.json$/;

export async function readAsset(name: string): Promise<Asset | null> {
  const layout = {file: name, type: 'application/json; charset=utf-8'};
  const known = Object.hasOwn(files, name) ? files[name] : undefined;
  const asset = layoutForm.test(name) ? layout : known;
  if (!asset) return null;
  try {
    return {type: asset.type, body: await readFile(path.join(assetFolder(), asset.file))};
  } catch (error) {
    // A machine of another Blackbird has no layout here; everything else has to be there.
    if (asset === layout && systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The built page, as seen from `dist`, from `dist/chunks` and from the sources. */
function assetFolder(): string {
  const places = ['./inspector', '../inspector', '../../../dist/inspector'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(path.join(place, 'index.html'))) ?? places[0] ?? '';
}
