/** Rewrites alternative spellings before anything is parsed. */
export const normalizedArguments = (args: readonly string[]): string[] => wholeHelp(args).map(renamedFlag);

/** `help plan import` is `plan import --help`. */
const wholeHelp = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' && args.length > 2 ? [...args.slice(1), '--help'] : args;

/** Flags that had another name in the first version. */
const renamedFlag = (arg: string) => (arg === '-V' ? '-v' : arg);
