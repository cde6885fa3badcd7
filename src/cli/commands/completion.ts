import {Argument, Command} from 'commander';
import {displayLine} from '../../machines/policies/display-text.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';
import {type Candidate, completionCandidates} from '../completion-candidates.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function completionCommand(cli: Cli): Command {
  return new Command('completion')
    .summary('print the completion script of a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
To use it:
  bash  $ source <(blackbird completion bash)                       in ~/.bashrc
  zsh   $ source <(blackbird completion zsh)                        in ~/.zshrc, behind compinit
  fish  $ blackbird completion fish > ~/.config/fish/completions/blackbird.fish`,
    )
    .action((shell: Shell) => cli.context.out(scripts[shell]));
}

/**
 * What the scripts call with the words typed so far: one candidate a line, a tab, what it is. It stands
 * beside the commands because its words are somebody else's arguments, unfinished and unchecked.
 */
export async function complete(cli: Cli, program: Command, args: readonly string[]): Promise<void> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const found = await completionCandidates(program, words, {
    tasks: () => taskCandidates(cli, program, words),
  });
  for (const {value, about} of found) cli.context.out(`${value}\t${displayLine(about)}`);
}

async function taskCandidates(cli: Cli, program: Command, words: readonly string[]): Promise<Candidate[]> {
  try {
    const cwd = words.includes('--cwd') ? words[words.lastIndexOf('--cwd') + 1] : undefined;
    if (cwd) program.setOptionValue('cwd', cwd);
    const {plans} = await cli.project(program);
    const plan = await plans.read();
    // A shell would split or run an id with other characters.
    return [...plan.items.values()].flatMap(({id, title}) =>
      /^[\w.@%+:,-]+$/.test(id) ? [{value: id, about: title}] : [],
    );
  } catch (error) {
    // In the middle of typing there is nobody to tell; the command itself will.
    if (error instanceof AppError) return [];
    throw error;
  }
}

const bash = `_blackbird() {
  local IFS=$'\\n' word="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=( $(blackbird __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD-1}" "$word" 2>/dev/null | cut -f1) )
}
complete -o default -F _blackbird blackbird`;

const zsh = `#compdef blackbird
_blackbird() {
  local -a candidates
  local value about
  while IFS=$'\\t' read -r value about; do
    candidates+=("\${value//:/\\\\:}\${about:+:$about}")
  done < <(blackbird __complete -- "\${(@)words[2,CURRENT-1]}" "\${words[CURRENT]}" 2>/dev/null)
  _describe 'blackbird' candidates
}
compdef _blackbird blackbird`;

const fish = `function __blackbird_complete
  set -l words (commandline -opc) (commandline -ct)
  blackbird __complete -- $words[2..-1] 2>/dev/null
end
complete -c blackbird -f -a '(__blackbird_complete)'`;

const scripts = {bash, zsh, fish} as const satisfies Record<Shell, string>;
