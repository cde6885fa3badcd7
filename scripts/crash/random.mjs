/** The same numbers for the same seed (mulberry32). */
export function randomNumbers(start) {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function shuffled(values, random) {
  const result = [...values];
  for (let place = result.length - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    [result[place], result[other]] = [result[other], result[place]];
  }
  return result;
}
