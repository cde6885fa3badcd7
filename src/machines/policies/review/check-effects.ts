import type {SideEffect} from '../../../services/contracts/side-effects.ts';
import {some} from './some-names.ts';

/** Files that checks wrote; null if unknown. */
export function checkEffects(files: readonly string[] | null): SideEffect[] {
  if (files?.length === 0) return [];
  const told = files === null ? 'unknown files' : some(files);
  return [{kind: 'ignored_files', text: `written by the checks, not by the agent: ${told}`}];
}
