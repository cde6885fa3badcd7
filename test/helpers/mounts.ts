import {execFileSync, spawnSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmdirSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {onTestFinished} from 'vitest';

/** Mounting needs root, and a system that allows it. */
export const canMount = isMountingAllowed();

/** An in-memory file system, unmounted after the test. */
export function mountTmpfs(folder: string, options: string): string {
  mkdirSync(folder, {recursive: true});
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  onTestFinished(() => {
    execFileSync('umount', ['-l', folder]);
  });
  return folder;
}

export function remount(folder: string, options: string): void {
  execFileSync('mount', ['-o', `remount,${options}`, folder]);
}

function isMountingAllowed(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  const folder = mkdtempSync(path.join(os.tmpdir(), 'blackbird-mount-'));
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', 'tmpfs', folder]).status === 0;
  if (isMounted) spawnSync('umount', [folder]);
  rmdirSync(folder);
  return isMounted;
}
