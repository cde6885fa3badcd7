import {AppError} from '../../../services/contracts/errors.ts';
import {defaultProvider, programIds, providerTable} from '../../../services/contracts/provider-table.ts';
import type {AgencyConfig} from '../../../services/contracts/session.ts';

/** A runner that `agency.json` does not define is the program of a provider. */
export const builtInRunners = programIds.map((id) => providerTable[id].program).toSorted();

/** Used if neither the command line nor `agency.json` names one. */
export const defaultRunner: string = defaultProvider;

/** The command of a runner, as one line. The only place that decides it, for both `run` and `resume`. */
export function resolveRunnerCmd({runners}: Pick<AgencyConfig, 'runners'>, runner: string): string {
  const configured = runners.get(runner);
  if (configured === undefined) {
    if (builtInRunners.some((program) => program === runner)) return runner;
    throw new AppError(
      'E_RUNNER_NOT_CONFIGURED',
      `runner "${runner}" not configured; set runners.${runner} or choose ${builtInRunners.join('/')}`,
    );
  }
  if (configured.trim() !== '') return configured;
  throw new AppError('E_RUNNER_NOT_CONFIGURED', `runner "${runner}" has empty command in runners config`);
}

/** Parses `agency.json`; throws if it is invalid. `scripts` and unknown fields are ignored. */
export function parseAgencyConfig(json: unknown): AgencyConfig {
  const root = objectAt(json, 'agency.json');
  if (root.version !== undefined && root.version !== 1) throw new Error('version must be 1');
  const runners = new Map(
    Object.entries(root.runners === undefined ? {} : objectAt(root.runners, 'runners')).map(
      ([name, command]) => [name, stringAt(command, `runners.${name}`)],
    ),
  );
  const defaults = root.defaults === undefined ? {} : objectAt(root.defaults, 'defaults');
  const setting = (key: string) => {
    const value = defaults[key];
    return value === undefined || value === '' ? null : stringAt(value, `defaults.${key}`);
  };
  return {runners, runner: setting('runner'), parentBranch: setting('parent_branch')};
}

export const noAgencyConfig: AgencyConfig = {runners: new Map(), runner: null, parentBranch: null};

/**
 * The program a command line starts, as far as can be told without a shell: leading assignments are skipped,
 * and null means that only the shell knows (a builtin, a substitution, a pipeline in brackets).
 */
export function programOf(command: string): string | null {
  let rest = command.trimStart();
  for (;;) {
    const word = /^(?:'[^']*'|"[^"$`\\]*"|[\w@%+=:,./-])+(?=\s|[;&|]|$)/.exec(rest)?.[0];
    if (word === undefined) return null;
    const isAssignment = /^[A-Za-z_]\w*=/.test(word);
    const plain = word.replace(/'([^']*)'|"([^"]*)"/g, '$1$2');
    if (!isAssignment && plain !== 'exec')
      return shellWords.has(plain) || plain.startsWith('-') ? null : plain;
    rest = rest.slice(word.length).trimStart();
  }
}

/** Shell builtins and keywords, which cannot be looked up. */
const shellWords = new Set(
  '. : [ alias bg builtin cd case command echo eval exit export false fg for function if printf pwd read set source test time trap true type ulimit umask until while'.split(
    ' ',
  ),
);

function objectAt(value: unknown, where: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Readonly<Record<string, unknown>>;
  }
  throw new Error(`${where} must be an object`);
}

function stringAt(value: unknown, where: string): string {
  if (typeof value === 'string') return value;
  throw new Error(`${where} must be a string`);
}
