import type {ProviderId} from '../../../services/contracts/agent.ts';
import {type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {NativeProviderId} from '../../../services/contracts/provider-table.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';

/** The program that runs the agent. A session belongs to its program: no other can continue it. */
export type Program = Pick<RunRecord, 'provider' | 'custom_command' | 'provider_dialect'>;

/** The programs that are available now. */
export type ProgramChoice = {
  /** Named on the command line or in the environment; the saved setting does not count. */
  readonly explicitProvider: ProviderId | null;
  /** The command in `BLACKBIRD_AGENT_CMD`. */
  readonly customCommand: string | null;
};

export const newProgram = (provider: ProviderId, customCommand: string | null): Program =>
  provider === 'custom' && customCommand !== null ? {provider, custom_command: customCommand} : {provider};

export const programOf = ({provider, custom_command, provider_dialect}: Program): Program => ({
  provider,
  ...(custom_command === undefined ? {} : {custom_command}),
  ...(provider_dialect === undefined ? {} : {provider_dialect}),
});

/** Whose agent it is, also for a custom command; null if its output did not tell. */
export const vendorOf = ({provider, provider_dialect}: Program): NativeProviderId | null =>
  provider === 'custom' ? (provider_dialect ?? null) : provider;

/** For lists: a custom command is shown with the agent whose session it uses. */
export const programName = ({provider, provider_dialect}: Program): string =>
  provider_dialect === undefined ? provider : `${provider} (${provider_dialect})`;

const anotherProgram = 'it belongs to another program';
export const isAboutProgram = (reason: string): boolean => reason.startsWith(anotherProgram);

/** Why this run belongs to a different program than the one that would continue it; null if it does not. */
export function programObstacle(
  run: Program,
  {explicitProvider, customCommand}: ProgramChoice,
): string | null {
  if (run.provider !== 'custom') {
    if (explicitProvider === null || explicitProvider === run.provider) return null;
    const asked =
      explicitProvider === 'custom' ? 'BLACKBIRD_AGENT_CMD is set' : `${explicitProvider} was asked for`;
    return `${anotherProgram}: it was started by ${run.provider}, but ${asked}`;
  }
  if (explicitProvider !== null && explicitProvider !== 'custom') {
    return `${anotherProgram}: it was started by a command of your own, but ${explicitProvider} was asked for`;
  }
  if (customCommand === run.custom_command) return null;
  const now =
    customCommand === null ? 'BLACKBIRD_AGENT_CMD is not set' : 'BLACKBIRD_AGENT_CMD is a different one now';
  return `${anotherProgram}: it was started by a command of your own, and ${now}`;
}

/** How to continue the run with the program that has its session. */
export function resumeInProgram({task_id, provider, custom_command = ''}: RunRecord): NextStep {
  const resume = `blackbird resume ${shellWord(task_id)}`;
  const why = 'continue with the program that has its session';
  if (provider !== 'custom') return {command: `${resume} --agent ${provider}`, why};
  return {command: `BLACKBIRD_AGENT_CMD=${shellWord(custom_command)} ${resume}`, why};
}
