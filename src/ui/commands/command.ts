import {type HandChange, takesFromAgent} from '../../machines/policies/plan/running-tasks.ts';
import type {Dialog} from '../../machines/tui-dialogs.ts';
import type {KeyBinding} from '../keymap.ts';
import type {Browse, Pane} from '../model/browse.ts';
import type {Facts, TuiState} from '../model/facts.ts';
import type {TuiPorts} from '../ports.ts';
import type {Jobs, TuiCore} from '../tui-core.ts';

/**
 * Where keys are pressed: a screen, and of the plan one of its two panes, the tab Diff, the search, or `aside`:
 * the tree while something is asked in the panel on the right.
 */
export type Place = 'home' | Pane | 'diff' | 'aside' | 'search' | 'settings' | 'sessions' | 'help';

/** All screens; what is typed into a search is text. */
export const anywhere: readonly Place[] = ['home', 'tree', 'detail', 'settings', 'sessions', 'help'];
/** Beside the plan, whichever pane has the keys. */
export const besidePlan: readonly Place[] = ['tree', 'detail'];
/** The tree, also while something is asked. */
export const inTree: readonly Place[] = ['tree', 'aside'];
/** What only looks at a task. */
export const looking: readonly Place[] = [...besidePlan, 'aside'];

/** The titles of the help, in their order. */
export const helpSections = [
  'Run',
  'Look at a task',
  'Read a diff',
  'Move in the plan',
  'Change the plan',
  'Go',
] as const;

/** What the handlers of commands work with. */
export type CommandContext = {
  readonly core: TuiCore;
  readonly ports: TuiPorts;
  readonly jobs: Jobs;
  open(dialog: Dialog): void;
  /** Shows why something could not be done. */
  fail(error: unknown): void;
  browse(change: (browse: Browse) => Browse): void;
  /** How many lines the help has. */
  helpLength(): number;
};

/** One command of the screens, complete: adding one is one entry in one file of this folder. */
export type Command = KeyBinding<(context: CommandContext) => void, [facts: Facts, state: TuiState]> & {
  /** Where its keys work. */
  readonly at: readonly Place[];
  /** Where the help lists it; it does not where this is missing. */
  readonly section?: (typeof helpSections)[number];
};

export type Refusal = NonNullable<Command['refusal']>;

export const noTask = 'no task is selected';
export const noPlan = 'there is no plan';

/** Why there is no plan to work with; null where there is one. */
export const planRefusal: Refusal = ({plan}, {data}) => {
  if (plan) return null;
  return data === null ? 'the plan is still being read' : noPlan;
};

/** Acts on the id of the selected task. */
export const withTask =
  (act: (context: CommandContext, taskId: string) => void): Command['run'] =>
  (context) => {
    const {task} = context.core.facts();
    if (task) act(context, task.id);
  };

/** A task that may be changed so, by the rule that refuses the change itself. */
export const changeable =
  (change: HandChange): Refusal =>
  ({task, state}) => {
    if (!task) return noTask;
    return state === 'running' && takesFromAgent[change] ? 'an agent works on it' : null;
  };
