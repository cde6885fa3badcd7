import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {systemErrorCode} from '../contracts/errors.ts';

export type Asset = {readonly type: string; readonly body: Buffer};

/** The whole page. No other file is ever read, whatever is requested. */
const files: Readonly<Record<string, {readonly file: string; readonly type: string}>> = {
  '': {file: 'index.html', type: 'text/html; charset=utf-8'},
  'style.css': {file: 'style.css', type: 'text/css; charset=utf-8'},
  'page.js': {file: 'page.js', type: 'text/javascript; charset=utf-8'},
};

/** What the page loads on demand: the chart layouts and parts of its program. */
const laterForms = [
  {form: /^layouts\/[A-Za-z]{1,40}\.json$/, type: 'application/json; charset=utf-8'},
  {form: /^parts\/[A-Za-z0-9-]{1,60}\.js$/, type: 'text/javascript; charset=utf-8'},
] as const;

export async function readAsset(name: string): Promise<Asset | null> {
  const later = laterForms.find(({form}) => form.test(name));
  const asset = Object.hasOwn(files, name) ? files[name] : later && {file: name, type: later.type};
  if (!asset) return null;
  try {
    return {type: asset.type, body: await readFile(path.join(assetFolder(), asset.file))};
  } catch (error) {
    // Another version's machine has no layout here, and another version's page has other parts.
    if (later && systemErrorCode(error) === 'ENOENT') return null;
    throw error;
  }
}

/** The built page, seen from `dist`, from `dist/chunks` and from the sources. */
function assetFolder(): string {
  const places = ['./inspector', '../inspector', '../../../dist/inspector'].map((place) =>
    fileURLToPath(new URL(place, import.meta.url)),
  );
  return places.find((place) => existsSync(path.join(place, 'index.html'))) ?? places[0] ?? '';
}
