import type {SourcePatch} from './pool.ts';
import type {Bounds, Scenario} from './simulation.ts';

/** A possible mistake in the source, and the scenario that must find it. */
export type Fault = SourcePatch & {readonly name: string; readonly scenario: Scenario};

type Edit = readonly [find: string, replace: string];

export const fault = (name: string, scenario: Scenario, file: string, ...edits: readonly Edit[]): Fault => ({
  name,
  scenario,
  file: `src/machines/${file}`,
  edits,
});

/** The same project with less happening around what matters. */
export const narrowed = (
  scenario: Scenario,
  behaviours: readonly string[],
  bounds: Partial<Bounds> = {},
): Scenario => ({
  ...scenario,
  behaviours,
  bounds: {...scenario.bounds, crashes: 0, pauses: 0, ...bounds},
});

/** One command of these kinds, on the project as these left it. */
export const afterSetup = (
  setup: NonNullable<Scenario['setup']>,
  scenario: Scenario,
  commands: readonly string[],
): Scenario => ({...scenario, setup, commands, bounds: {...scenario.bounds, commands: 1}});
