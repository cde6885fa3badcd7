import {existsSync} from 'node:fs';
import path from 'node:path';
import {AppError, messageOf} from '../contracts/errors.ts';
import {reasonOf} from '../stores/store-errors.ts';
import {parseJson, readWholeFile} from '../stores/whole-file.ts';
import {fileKind} from '../system/file-kind.ts';

const maxBytes = 1024 * 1024;

/** A repository's `agency.json`; null if there is none. */
export function readAgencyJson<T>(root: string, parse: (json: unknown) => T): T | null {
  const file = path.join(root, 'agency.json');
  const invalid = (message: string, cause: unknown) =>
    new AppError('E_INVALID_AGENCY_JSON', message, {details: [['file', file]], cause});
  let json: unknown;
  try {
    const text = readWholeFile(file, 'configuration', maxBytes);
    if (text === null) return null;
    json = parseJson(text);
  } catch (error) {
    throw invalid(`invalid json: ${reasonOf(error)}`, error);
  }
  try {
    return parse(json);
  } catch (error) {
    throw invalid(messageOf(error), error);
  }
}

/** The top of the checkout around a folder, if it has an `agency.json`. Found without git. */
export function configuredCheckout(start: string): string | null {
  for (let folder = start; ; folder = path.dirname(folder)) {
    const isTop = existsSync(path.join(folder, '.git'));
    if (isTop && existsSync(path.join(folder, 'agency.json'))) return folder;
    if (isTop || path.dirname(folder) === folder) return null;
  }
}

/** Follows links, and rejects paths relative to the current folder. */
export function isFolder(place: string): boolean {
  return path.isAbsolute(place) && fileKind(place) === 'folder';
}
