import {createHash, type Hash} from 'node:crypto';
import {type Git, GitFailure} from './safe-git.ts';

/**
 * Git trusts an object's name: one with different content would make a diff show something that never
 * existed.
 */
export class ForgedObject extends GitFailure {
  readonly id: string;

  constructor(id: string) {
    super('failed', `git object ${id} does not match its name: it was forged, or the disk corrupted it`);
    this.id = id;
  }
}

/**
 * Hashes what git actually reads under these ids: a pack may shadow a loose object. Fails with the first
 * mismatch.
 */
export async function verifyObjects(git: Git, ids: () => Promise<ReadonlySet<string>>): Promise<void> {
  const input = async () => `${[...(await ids())].join('\n')}\n`;
  await git.pour(['cat-file', '--batch'], input, createCheck);
}

const hashFor = (id: string): Hash => createHash(id.length === 40 ? 'sha1' : 'sha256');

/** Parses the output of `cat-file --batch`: a line with id, kind and size, then the content and a newline. */
function createCheck(): (chunk: Buffer) => void {
  let line = '';
  let open: {readonly id: string; readonly hash: Hash; left: number} | null = null;
  return (chunk) => {
    let at = 0;
    while (at < chunk.length) {
      if (open === null) {
        const end = chunk.indexOf(0x0a, at);
        line += chunk.toString('latin1', at, end < 0 ? chunk.length : end);
        at = end < 0 ? chunk.length : end + 1;
        if (end < 0) continue;
        // The newline after the previous content.
        if (line !== '') open = opened(line);
        line = '';
      } else {
        const part = chunk.subarray(at, at + open.left);
        open.hash.update(part);
        open.left -= part.length;
        at += part.length;
      }
      if (open?.left === 0) {
        if (open.hash.digest('hex') !== open.id) throw new ForgedObject(open.id);
        open = null;
      }
    }
  };
}

function opened(line: string) {
  const [id = '', kind, size] = line.split(' ');
  if (size === undefined) throw new GitFailure('failed', `bad object ${id}`);
  return {id, hash: hashFor(id).update(`${kind} ${size}\0`), left: Number(size)};
}
