import type {Project} from '../composition.ts';
import type {CliContext} from '../context.ts';

/** One result of `doctor`. */
export type Check = {
  readonly name: string;
  readonly state: 'good' | 'missing' | 'wrong';
  readonly found: string;
  readonly advice?: string;
};

export type Surroundings = {
  readonly project: Project;
  readonly env: CliContext['env'];
  readonly home: string;
};
