import {createHash} from 'node:crypto';
import path from 'node:path';
import type {Writer} from '../contracts/side-effects.ts';
import {contentVersion} from './content-version.ts';
import type {WriteTrail} from './write-trail.ts';

/** Writes or removes a draft or comment and records who did it, so that it is not attributed to a running agent. */
export async function noted<T>(trail: WriteTrail, file: string, write: () => Promise<T>): Promise<T> {
  const before = contentVersion(file);
  const result = await write();
  trail.note(textKey(file, before), textKey(file, contentVersion(file)));
  return result;
}

/** Who changed a draft or comment from one version to the other; null if anyone but Blackbird took part. */
export const textWriter = (trail: WriteTrail, file: string, from: string, to: string): Writer | null =>
  trail.leads(textKey(file, from), textKey(file, to));

/** Short, because editors save every half second. The base name is enough: the content names the run or task. */
const textKey = (file: string, version: string): string =>
  createHash('sha256')
    .update(`${path.basename(file)}\0${version}`)
    .digest('hex')
    .slice(0, 20);
