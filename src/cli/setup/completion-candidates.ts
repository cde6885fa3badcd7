import type {Argument, Command, Option} from 'commander';
import {builtInRunners} from '../../machines/policies/session/session-runner.ts';
import {type Setting, settingKeys, settings} from '../../services/contracts/config.ts';
import {providerIds, providerTable} from '../../services/contracts/provider-table.ts';

export type Candidate = {readonly value: string; readonly about: string};

/** Provides values that are not part of the program itself. */
export type CompletionSource = {
  readonly tasks: () => Promise<readonly Candidate[]>;
  readonly sessions: () => Promise<readonly Candidate[]>;
  readonly jobs: () => Promise<readonly Candidate[]>;
  readonly planDrafts: () => Promise<readonly Candidate[]>;
  readonly runs: (taskId: string) => Promise<readonly Candidate[]>;
};

/**
 * The candidates at the cursor. `words` are those after the program's name; the last one is being typed and
 * may be empty.
 */
export async function completionCandidates(
  program: Command,
  words: readonly string[],
  source: CompletionSource,
): Promise<Candidate[]> {
  const typed = words.at(-1) ?? '';
  let command = program;
  const positionals: string[] = [];
  let pending: Option | null = null;
  let onlyArguments = false;
  let onlyCommands = false;
  for (const word of words.slice(0, -1)) {
    if (pending) pending = null;
    else if (!onlyArguments && word === '--') onlyArguments = true;
    else if (!onlyArguments && word.startsWith('-')) {
      const option = word.includes('=') ? null : findOption(command, word);
      pending = option && (option.required || option.optional) ? option : null;
    } else {
      const child = positionals.length === 0 ? findCommand(command, word) : undefined;
      if (child) command = child;
      // The next word is again a command's name.
      else if (positionals.length === 0 && isHelpCommand(command, word)) onlyCommands = true;
      else positionals.push(word);
    }
  }
  if (pending) return matching(await valuesOf(pending, source, positionals), typed);
  if (typed.startsWith('-') && !onlyArguments) {
    const [flag = '', value] = typed.split('=', 2);
    const option = value === undefined ? undefined : findOption(command, flag);
    if (option) {
      const values = matching(await valuesOf(option, source, positionals), value ?? '');
      return values.map((each) => ({...each, value: `${flag}=${each.value}`}));
    }
    const flags = optionsOf(command).map((each) => ({
      value: each.long ?? each.short ?? '',
      about: each.description,
    }));
    return matching([...flags, {value: '--help', about: 'show help'}], typed);
  }
  const children = visibleCommands(command).map((child) => ({
    value: child.name(),
    about: child.summary() || child.description(),
  }));
  if (children.length > 0 || onlyCommands) return positionals.length === 0 ? matching(children, typed) : [];
  const declared = command.registeredArguments;
  const argument = declared[positionals.length] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  return argument ? matching(await valuesOf(argument, source, positionals), typed) : [];
}

function optionsOf(command: Command): Option[] {
  const options: Option[] = [];
  for (let each: Command | null = command; each; each = each.parent) options.push(...each.options);
  return options.filter((option) => !option.hidden);
}

async function valuesOf(
  target: Option | Argument,
  source: CompletionSource,
  [first = '']: readonly string[],
): Promise<readonly Candidate[]> {
  const name = 'flags' in target ? (/<([^>]+)>/.exec(target.flags)?.[1] ?? '') : target.name();
  switch (name) {
    case 'taskId':
    case 'depId':
      return source.tasks();
    case 'parentId':
      return [{value: 'root', about: 'the top level'}, ...(await source.tasks())];
    case 'id':
      // Only as an argument; as an option it is a new id.
      return 'flags' in target ? [] : source.sessions();
    case 'draftId':
      return source.planDrafts();
    case 'jobId':
      return source.jobs();
    case 'runId':
      return source.runs(first);
    case 'provider':
      return providerIds.map((value) => ({value, about: providerTable[value].title}));
    case 'value':
      return settingValues(first).map((value) => ({value, about: ''}));
    case 'key':
      return settingKeys.map((value) => ({value, about: ''}));
    case 'runner':
      return builtInRunners.map((value) => ({value, about: ''}));
    default:
      return target.argChoices?.map((value) => ({value, about: ''})) ?? [];
  }
}

/** The possible values of a setting, if they are a fixed set. */
function settingValues(key: string): readonly string[] {
  const setting = settingKeys.find((each) => each === key);
  if (setting === undefined) return [];
  const {[setting]: found}: Readonly<Record<string, Setting>> = settings;
  if (found?.type === 'boolean') return ['true', 'false'];
  return found?.type === 'choice' ? found.options : [];
}

const findOption = (command: Command, flag: string) =>
  optionsOf(command).find(({short, long}) => short === flag || long === flag);

const matching = (candidates: readonly Candidate[], typed: string): Candidate[] =>
  candidates.filter(({value}) => value.startsWith(typed));

const visibleCommands = (command: Command) => command.createHelp().visibleCommands(command);

const isHelpCommand = (command: Command, word: string) => word === 'help' && command.commands.length > 0;

const findCommand = (command: Command, word: string) => command.commands.find((each) => each.name() === word);
