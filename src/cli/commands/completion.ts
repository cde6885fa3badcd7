import {Argument, Command} from 'commander';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';
import type {Project} from '../composition.ts';
import {type Candidate, completionCandidates} from '../setup/completion-candidates.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

export function completionCommand(cli: Cli): Command {
  return new Command('completion')
    .summary('print the completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText(
      'after',
      `
To use it:
  bash  $ source <(blackbird completion bash)  in ~/.bashrc
  zsh   $ source <(blackbird completion zsh)   in ~/.zshrc, after compinit
  fish  $ blackbird completion fish > ~/.config/fish/completions/blackbird.fish`.replaceAll(
        'blackbird',
        cli.context.name,
      ),
    )
    .action((shell: Shell) => cli.context.out(scripts[shell].replaceAll('blackbird', cli.context.name)));
}

/**
 * Called by the scripts with the words typed so far: one candidate per line, a tab, its description. Not a
 * normal command, because its words are another command's arguments, unfinished and unchecked.
 */
export async function complete(cli: Cli, program: Command, args: readonly string[]): Promise<void> {
  const words = args[0] === '--' ? args.slice(1) : args;
  const found = await completionCandidates(program, words, {
    tasks: () => taskCandidates(cli, program, words),
    sessions: () => sessionCandidates(cli, program),
    jobs: () => jobCandidates(cli, program, words),
    planDrafts: () => planDraftCandidates(cli, program, words),
    runs: (taskId) => runCandidates(cli, program, words, taskId),
  });
  const lines = found.map(({value, about}) => `${value}\t${displayLine(about)}`);
  if (lines.length > 0) cli.context.out(lines.join('\n'));
}

async function taskCandidates(cli: Cli, program: Command, words: readonly string[]): Promise<Candidate[]> {
  return quietly(async () => {
    const {plans} = await typedProject(cli, program, words);
    const plan = await plans.read();
    // A shell would split or execute an id with other characters, or a command would take it for an option.
    return [...plan.items.values()].flatMap(({id, title}) =>
      /^[\w.@%+:,][\w.@%+:,-]*$/.test(id) ? [{value: id, about: title}] : [],
    );
  });
}

/** Newest first, with how each ended; no one reads more than this. */
async function jobCandidates(cli: Cli, program: Command, words: readonly string[]): Promise<Candidate[]> {
  return quietly(async () => {
    const {openJobs} = await import('../job/other-job.ts');
    const jobs = await openJobs(await typedProject(cli, program, words));
    const ids = jobs.ids().slice(0, 20);
    return Promise.all(
      ids.map(async (value) => {
        const job = await jobs.read(value).catch(() => null);
        return {value, about: job?.end?.message ?? ''};
      }),
    );
  });
}

async function planDraftCandidates(
  cli: Cli,
  program: Command,
  words: readonly string[],
): Promise<Candidate[]> {
  return quietly(async () => {
    const {folder} = await typedProject(cli, program, words);
    const {createPlanDraftStore} = await import('../../services/stores/plan-draft-store.ts');
    const {drafts} = await createPlanDraftStore({folder: folder.planDraftsFolder}).list();
    return drafts.map(({draftId, text}) => ({value: draftId, about: text.slice(0, 80)}));
  });
}

/** Newest first, with the state of each. */
async function runCandidates(cli: Cli, program: Command, words: readonly string[], taskId: string) {
  return quietly(async () => {
    const {folder} = await typedProject(cli, program, words);
    const {createRunStore} = await import('../../services/stores/run-store.ts');
    const {runs} = await createRunStore({folder: folder.runsFolder}).list(taskId);
    return runs.map(({run_id, state}) => ({value: run_id, about: state})).reverse();
  });
}

async function typedProject(cli: Cli, program: Command, words: readonly string[]): Promise<Project> {
  // The shell has not expanded it yet.
  const folder = typedFolder(words)?.replace(/^~(?=\/|$)/, await cli.home());
  if (folder) program.setOptionValue('cwd', folder);
  return cli.project(program);
}

async function quietly(find: () => Promise<Candidate[]>): Promise<Candidate[]> {
  try {
    return await find();
  } catch (error) {
    // An error would disturb the typing; the command itself will report it.
    if (error instanceof AppError) return [];
    throw error;
  }
}

async function sessionCandidates(cli: Cli, program: Command): Promise<Candidate[]> {
  return quietly(async () => {
    const {openSessions} = await import('../session/session-composition.ts');
    const {sessionCandidatesOf} = await import('../session/session-view.ts');
    return sessionCandidatesOf(await openSessions(cli, program));
  });
}

function typedFolder(words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => word === '--cwd' || word.startsWith('--cwd='));
  return words[at] === '--cwd' ? words[at + 1] : words[at]?.slice('--cwd='.length);
}

const bash = `_blackbird() {
  local IFS=$'\\n' piece last='' typed words=()
  for piece in "\${COMP_WORDS[@]:1:COMP_CWORD}"; do
    # bash leaves the quotes in, and splits words at = and :
    piece="\${piece//[\\"\\'\\\\]/}"
    if [[ \${#words[@]} -gt 0 && -n $piece && ( $piece == [=:]* || $last == *[=:] ) ]]; then
      words[\${#words[@]}-1]+=$piece
    else
      words+=("$piece")
    fi
    last=$piece
  done
  typed="\${words[\${#words[@]}-1]}"
  COMPREPLY=( $(blackbird __complete -- "\${words[@]}" 2>/dev/null | cut -f1) )
  # only what stands behind the last split is replaced
  [[ -z "\${last//[=:]/}" ]] && last=''
  COMPREPLY=( "\${COMPREPLY[@]#"\${typed%"$last"}"}" )
}
complete -o default -F _blackbird blackbird`;

const zsh = `#compdef blackbird
_blackbird() {
  local -a candidates
  local value about
  if [[ $words[CURRENT-1] == --cwd ]]; then
    _files -/
    return
  fi
  while IFS=$'\\t' read -r value about; do
    candidates+=("\${value//:/\\\\:}\${about:+:$about}")
  done < <(blackbird __complete -- "\${(@Q)words[2,CURRENT-1]}" "\${(Q)words[CURRENT]}" 2>/dev/null)
  _describe 'blackbird' candidates
}
# loaded by the completion system itself, or sourced
if [[ $funcstack[1] == _blackbird ]]; then _blackbird; else compdef _blackbird blackbird; fi`;

const fish = `function __blackbird_complete
  set -l words (commandline -opc) (commandline -ct)
  blackbird __complete -- $words[2..-1] 2>/dev/null
end
complete -c blackbird -f -a '(__blackbird_complete)'
complete -c blackbird -l cwd -d 'work in this folder' -x -a '(__fish_complete_directories)'`;

const scripts = {bash, zsh, fish} as const satisfies Record<Shell, string>;
