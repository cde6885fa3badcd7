/** Replaces vitest when helpers are bundled for plain Node: none that an exploration needs calls it. */
export const expect = null;
