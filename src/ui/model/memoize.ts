/** Keeps the last result and recomputes only if an argument changed. */
export function memoizeLast<A extends readonly unknown[], R>(compute: (...args: A) => R): (...args: A) => R {
  let last: {readonly args: A; readonly result: R} | null = null;
  return (...args) => {
    if (last === null || args.some((arg, index) => !Object.is(arg, last?.args[index]))) {
      last = {args, result: compute(...args)};
    }
    return last.result;
  };
}
