/** A program of the user's that takes over the terminal for a while. */
export type OutsideProgram =
  /** A changed file, by its path from the repository root. */
  | {readonly type: 'editor'; readonly file: string; readonly line: number}
  | {readonly type: 'pager'; readonly patch: string};

/** The script for `sh -c` and its arguments: file names are never part of the script. */
export type ShellCommand = {readonly script: string; readonly args: readonly string[]};

type Environment = Readonly<Record<string, string | undefined>>;

export const noEditor = 'no editor is set: export EDITOR, such as EDITOR=vim, and start again';

/** The user's editor; null if none is set. */
export const editorOf = ({VISUAL, EDITOR}: Environment): string | null =>
  [VISUAL, EDITOR].map((each) => each?.trim()).find((each) => each !== undefined && each !== '') ?? null;

/** How the editor opens a file at a line; an unknown one just opens the file. */
export function editorCommand(editor: string, file: string, line: number): ShellCommand {
  const name = /^(?:\S*\/)?([^\s/]+)/.exec(editor)?.[1] ?? '';
  const style = lineStyles.find(({names}) => names.test(name))?.args ?? (() => [file]);
  return {script: `${editor} "$@"`, args: style(file, line)};
}

type LineStyle = {readonly names: RegExp; readonly args: (file: string, line: number) => string[]};

const lineStyles: readonly LineStyle[] = [
  {
    names: /^(g?vim?|nvim|vi|view|nano|pico|emacs|emacsclient|mg|kak|micro|joe|ne|mcedit|nvi|elvis)(-.*)?$/,
    args: (file, line) => [`+${line}`, file],
  },
  {
    names: /^(code|code-insiders|codium|vscodium|cursor|windsurf)$/,
    args: (file, line) => ['--goto', `${file}:${line}`],
  },
  {names: /^(hx|helix|subl|zed)$/, args: (file, line) => [`${file}:${line}`]},
];

/** The user's pager, or `less`, which shows colours. */
export function pagerCommand({PAGER}: Environment): ShellCommand {
  const pager = PAGER?.trim() ?? '';
  return {script: pager === '' ? 'less -R' : pager, args: []};
}
