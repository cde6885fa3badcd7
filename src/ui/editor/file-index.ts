import {displayText} from '../../machines/policies/text/display-text.ts';
import {type RankedFiles, rankableFiles} from './file-ranking.ts';

export type FileList =
  | {readonly state: 'unread'}
  | {readonly state: 'reading'}
  | {readonly state: 'ready'; readonly files: RankedFiles}
  | {readonly state: 'failed'};

/** The project's files for `@`, read once and never while a key is handled. */
export type FileIndex = {
  get(): FileList;
  /** Starts reading; again only after a failure. */
  load(): void;
  subscribe(listener: () => void): () => void;
};

export function createFileIndex(listFiles: () => Promise<readonly string[]>): FileIndex {
  const listeners = new Set<() => void>();
  let list: FileList = {state: 'unread'};
  const become = (next: FileList) => {
    list = next;
    for (const listener of listeners) listener();
  };
  return {
    get: () => list,
    load: () => {
      if (list.state === 'reading' || list.state === 'ready') return;
      become({state: 'reading'});
      listFiles().then(
        (paths) => become({state: 'ready', files: rankableFiles(paths.filter(isSayable))}),
        () => become({state: 'failed'}),
      );
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** A name with newlines or control characters cannot be used in a sentence. */
const isSayable = (path: string) => path !== '' && !/[\n\t]/.test(path) && displayText(path) === path;
