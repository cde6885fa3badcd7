const longest = 10_000;

/** A command that `sh -c` runs to see whether work holds: one line, and not an empty one. */
export const isCheckCommand = (raw: unknown): raw is string =>
  typeof raw === 'string' && raw.length <= longest && raw.trim() !== '' && !/[\r\n\0]/.test(raw);
