import {Argument, Command} from 'commander';
import {
  parseSetting,
  type ResolvedConfig,
  requireSettingKey,
  resolveConfig,
} from '../../machines/policies/config-resolution.ts';
import {keptChecksWords, openTasks} from '../../machines/policies/plan/task-checks.ts';
import {acceptedFor, settingText} from '../../machines/policies/setting-types.ts';
import {displayLine} from '../../machines/policies/text/display-text.ts';
import {settingKeys, settings} from '../../services/contracts/config.ts';
import {AppError} from '../../services/contracts/errors.ts';
import type {Cli} from '../cli.ts';
import type {Project} from '../composition.ts';
import {renderTable} from '../terminal/table.ts';

export function configCommand(cli: Cli): Command {
  const keyArgument = () => new Argument('<key>', 'the setting');
  const globalFlag = ['--global', 'in your user settings instead of the project'] as const;

  const resolved = async (command: Command): Promise<ResolvedConfig> => {
    const {config} = await cli.project(command);
    const result = resolveConfig(await config.layers());
    for (const warning of result.warnings) cli.context.err(`warning: ${displayLine(warning)}`);
    return result;
  };

  const list = new Command('list')
    .summary('every setting, its value and where it comes from')
    .action(async (_options, command: Command) => {
      const {values, warnings} = await resolved(command);
      const rows = settingKeys.map((key) => ({
        key,
        ...required(values.get(key)),
        about: settings[key].about,
      }));
      const {isTerminal} = cli.context.stdout;
      cli.print(command, {settings: rows, warnings}, () => {
        const table = renderTable(
          [{title: 'KEY'}, {title: 'VALUE'}, {title: 'SOURCE'}, {title: 'ABOUT', shrinks: 'first'}],
          rows.map(({key, value, source, about}) => [
            key,
            {text: settingText(value), style: source === 'default' ? 'dim' : 'bold'},
            source,
            {text: about, style: 'dim'},
          ]),
          cli.context.stdout,
        );
        return isTerminal ? `${table}\n${agentWords}` : table;
      });
    });

  const get = new Command('get')
    .summary('the value of one setting')
    .addArgument(keyArgument())
    .action(async (text: string, _options, command: Command) => {
      const key = requireSettingKey(text);
      const {value, source} = required((await resolved(command)).values.get(key));
      cli.print(command, {key, value, source}, () => settingText(value));
    });

  const write = async (command: Command, text: string, value: string | undefined, isGlobal: boolean) => {
    const key = requireSettingKey(text);
    const parsed = value === undefined ? undefined : parseSetting(key, value);
    const {config, folder, plans} = await cli.project(command);
    const layer = isGlobal ? 'global' : 'project';
    if (!isGlobal && parsed !== undefined) await ensureStateFolderOf(folder);
    await config.write(layer, key, parsed);
    const kept = key === 'execution.verify' ? await keptBy(plans) : [];
    const said =
      parsed === undefined ? `unset ${key} (${layer})` : `set ${key} = ${settingText(parsed)} (${layer})`;
    cli.print(
      command,
      {key, layer, value: parsed ?? null, ...(kept.length > 0 && {keeps_checks: kept})},
      [said, keptChecksWords(kept)].join('\n').trimEnd(),
    );
  };

  const set = new Command('set')
    .summary('change a setting')
    .addArgument(keyArgument())
    .argument('<value>', 'the new value')
    .option(...globalFlag)
    .addHelpText('after', () => `\nSettings:\n${settingLines().join('\n')}`)
    .action((key: string, value: string, options: {global?: true}, command: Command) =>
      write(command, key, value, options.global === true),
    );

  const unset = new Command('unset')
    .summary('remove a setting, so that the next layer applies')
    .addArgument(keyArgument())
    .option(...globalFlag)
    .action((key: string, options: {global?: true}, command: Command) =>
      write(command, key, undefined, options.global === true),
    );

  return new Command('config')
    .summary('read and change settings: project over global over default')
    .addCommand(list)
    .addCommand(get)
    .addCommand(set)
    .addCommand(unset);
}

/** Tasks that the new checks do not reach. A setting can be written beside a plan that is missing or broken. */
async function keptBy(plans: Project['plans']): Promise<string[]> {
  try {
    return openTasks((await plans.read()).items.values());
  } catch (error) {
    if (error instanceof AppError) return [];
    throw error;
  }
}

const agentWords = 'The agent is not a setting: blackbird agents shows it and where it was chosen.';

async function ensureStateFolderOf(
  folder: Parameters<typeof import('../../services/stores/project-folder.ts').ensureStateFolder>[0],
) {
  const {ensureStateFolder} = await import('../../services/stores/project-folder.ts');
  await ensureStateFolder(folder);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('a setting was not resolved');
  return value;
}

/** Every key with the values it takes, and what it is about. */
function settingLines(): string[] {
  const width = Math.max(...settingKeys.map((key) => key.length));
  return settingKeys.flatMap((key) => [
    `  ${key.padEnd(width)}  ${acceptedFor(settings[key]).replace(/, such as .*\]'| of at most \d+ characters/g, '')}`,
    `    ${settings[key].about}`,
  ]);
}
