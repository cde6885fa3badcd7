const turn = () => new Promise((resolve) => setImmediate(resolve));

/**
 * Leaves the terminal's keys to whoever comes next: a session, an editor, the shell. Ink stops listening but not
 * reading, and every key it read would be lost to the program that has the terminal now. Node notices the listener's
 * end a moment later and stops reading a moment after that; one added before then would never get a key.
 */
export async function stopReading(stdin: NodeJS.ReadStream): Promise<void> {
  await turn();
  stdin.pause();
  await turn();
}
