import {existsSync} from 'node:fs';
import {realpath} from 'node:fs/promises';
import path from 'node:path';
import type {ProjectFacts} from '../contracts/project.ts';
import {readWholeFile} from '../stores/whole-file.ts';

const snapshotFiles = ['.blackbird/snapshot.md', 'OVERVIEW.md', 'README.md'];
const maxSnapshotBytes = 4 * 1024 * 1024;

/** What runs need to know about the project; read on demand, the root only once. */
export async function createProjectFacts(root: string): Promise<ProjectFacts> {
  const real = await realpath(root);
  return {
    root: real,
    isGitRepository: async () => isInRepository(real),
    snapshot: async () => {
      for (const file of snapshotFiles) {
        const text = readText(path.join(real, file));
        if (text.trim() !== '') return {file, text};
      }
      return null;
    },
  };
}

function isInRepository(root: string): boolean {
  for (let folder = root; ; folder = path.dirname(folder)) {
    if (existsSync(path.join(folder, '.git'))) return true;
    if (path.dirname(folder) === folder) return false;
  }
}

/** A description that is missing, too large or not text is ignored. */
function readText(file: string): string {
  try {
    return readWholeFile(file, 'description', maxSnapshotBytes) ?? '';
  } catch {
    return '';
  }
}
