import {spawn} from 'node:child_process';

/** Opens an address in the user's browser; false if there is nothing to open it with. */
export function openAddress(url: string): Promise<boolean> {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  return new Promise((resolve) => {
    const child = spawn(program, [url], {stdio: 'ignore', detached: true});
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
