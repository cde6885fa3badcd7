import {firstWordsId, isPlainTaskId} from '../../../services/contracts/task-id.ts';
import {foldedId} from '../plan/task-edits.ts';

const wordLimit = 48;

/** Makes simple unique ids from any text: `Build the API!` becomes `build-the-api`, the next one `build-the-api-2`. */
export function idMaker(taken: Iterable<string>): (wish: string) => string {
  const known = new Set([...taken].map(foldedId));
  const next = new Map<string, number>();
  return (wish) => {
    const base = isPlainTaskId(wish) && wish.length <= wordLimit ? wish : slug(wish);
    let id = base;
    for (let count = next.get(foldedId(base)) ?? 2; !isFree(id); count++) {
      id = `${base}-${count}`;
      next.set(foldedId(base), count + 1);
    }
    known.add(foldedId(id));
    return id;
  };

  function isFree(id: string): boolean {
    return isPlainTaskId(id) && id !== 'root' && !known.has(foldedId(id));
  }
}

export function slug(text: string, longest = wordLimit): string {
  const words = text
    .slice(0, 400)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .match(/[a-z0-9]+/g);
  return words === null ? 'task' : firstWordsId(words, longest);
}
