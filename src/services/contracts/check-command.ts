const longest = 10_000;

/** A command for `sh -c` that checks the work: a single non-empty line. */
export const isCheckCommand = (raw: unknown): raw is string =>
  typeof raw === 'string' && raw.length <= longest && raw.trim() !== '' && !/[\r\n\0]/.test(raw);
