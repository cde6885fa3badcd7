const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Leaves the terminal's keys to the next program: a session, an editor, the shell. Ink stops listening but
 * not reading, and every key it read would be lost to that program. Node notices the removed listener a
 * moment later and stops reading a moment after that; a listener added before then would never get a key.
 */
export async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  await turn();
  stdin.pause();
  await turn();
}
