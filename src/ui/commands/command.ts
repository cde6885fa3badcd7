import {type HandChange, takesFromAgent} from '../../machines/policies/plan/running-tasks.ts';
import type {Dialog} from '../../machines/tui-dialogs.ts';
import type {KeyBinding} from '../keymap.ts';
import type {Browse, Pane} from '../model/browse.ts';
import type {Facts, TuiState} from '../model/facts.ts';
import type {TuiPorts} from '../ports.ts';
import type {Jobs, TuiCore} from '../tui-core.ts';

/**
 * Where keys are pressed: a screen, one of the two panes of the plan, the Diff tab, the search, or `aside`:
 * the tree while something is asked in the right panel.
 */
export type Place = 'home' | Pane | 'diff' | 'aside' | 'search' | 'settings' | 'sessions' | 'help';

/** All screens; in a search, keys are text. */
export const anywhere: readonly Place[] = ['home', 'tree', 'detail', 'settings', 'sessions', 'help'];
/** The plan screen, whichever pane has the focus. */
export const planPanes: readonly Place[] = ['tree', 'detail'];
/** The tree, also while something is asked. */
export const inTree: readonly Place[] = ['tree', 'aside'];
/** For commands that only look at a task. */
export const looking: readonly Place[] = [...planPanes, 'aside'];

/** The sections of the help, in order. */
export const helpSections = [
  'Run',
  'Look at a task',
  'Read a diff',
  'Move in the plan',
  'Change the plan',
  'Go',
] as const;

/** What command handlers work with. */
export type CommandContext = {
  readonly core: TuiCore;
  readonly ports: TuiPorts;
  readonly jobs: Jobs;
  open(dialog: Dialog): void;
  /** Shows why something could not be done. */
  fail(error: unknown): void;
  browse(change: (browse: Browse) => Browse): void;
  /** The number of lines of the help. */
  helpLength(): number;
};

/** One complete command: adding one takes one entry in one file of this folder. */
export type Command = KeyBinding<(context: CommandContext) => void, [facts: Facts, state: TuiState]> & {
  /** Where its keys work. */
  readonly at: readonly Place[];
  /** The help section that lists it; not listed if missing. */
  readonly section?: (typeof helpSections)[number];
};

export type Refusal = NonNullable<Command['refusal']>;

export const noTask = 'no task is selected';
export const noPlan = 'there is no plan';

/** Why there is no plan to work with; null if there is one. */
export const planRefusal: Refusal = ({plan}, {data}) => {
  if (plan) return null;
  return data === null ? 'the plan is still being read' : noPlan;
};

/** Acts on the selected task. */
export const withTask =
  (act: (context: CommandContext, taskId: string) => void): Command['run'] =>
  (context) => {
    const {task} = context.core.facts();
    if (task) act(context, task.id);
  };

/** Whether a task may be changed this way, by the rule that guards the change itself. */
export const changeable =
  (change: HandChange): Refusal =>
  ({task, state}) => {
    if (!task) return noTask;
    return state === 'running' && takesFromAgent[change] ? 'an agent is working on it' : null;
  };
