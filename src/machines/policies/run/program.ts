import type {ProviderId} from '../../../services/contracts/agent.ts';
import {type NextStep, shellWord} from '../../../services/contracts/errors.ts';
import type {NativeProviderId} from '../../../services/contracts/provider-table.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';

/** Which program runs the agent. A session belongs to it: no other one may go on with it. */
export type Program = Pick<RunRecord, 'provider' | 'custom_command' | 'provider_dialect'>;

/** The programs that can be had now. */
export type ProgramChoice = {
  /** Named on the command line or in the environment; the saved choice does not count. */
  readonly explicitProvider: ProviderId | null;
  /** The command that `BLACKBIRD_AGENT_CMD` holds. */
  readonly customCommand: string | null;
};

export const newProgram = (provider: ProviderId, customCommand: string | null): Program =>
  provider === 'custom' && customCommand !== null ? {provider, custom_command: customCommand} : {provider};

export const programOf = ({provider, custom_command, provider_dialect}: Program): Program => ({
  provider,
  ...(custom_command === undefined ? {} : {custom_command}),
  ...(provider_dialect === undefined ? {} : {provider_dialect}),
});

/** Whose agent it is, a custom command's too; null where its lines did not tell. */
export const vendorOf = ({provider, provider_dialect}: Program): NativeProviderId | null =>
  provider === 'custom' ? (provider_dialect ?? null) : provider;

/** For lists: a custom command is told with the agent whose session it has. */
export const programName = ({provider, provider_dialect}: Program): string =>
  provider_dialect === undefined ? provider : `${provider} (${provider_dialect})`;

const anotherProgram = 'it belongs to another program';
export const isAboutProgram = (reason: string): boolean => reason.startsWith(anotherProgram);

/** Why this run is none of the program's that would go on with it, or null when it is. */
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

/** How the run goes on with the program that has its session. */
export function resumeInProgram({task_id, provider, custom_command = ''}: RunRecord): NextStep {
  const resume = `blackbird resume ${shellWord(task_id)}`;
  const why = 'continue with the program that has its session';
  if (provider !== 'custom') return {command: `${resume} --agent ${provider}`, why};
  return {command: `BLACKBIRD_AGENT_CMD=${shellWord(custom_command)} ${resume}`, why};
}
