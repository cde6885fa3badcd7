import * as z from 'zod';
import {taskStatuses} from '../../services/contracts/task-status.ts';

export type McpTool = {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodRawShape;
  readonly isReadOnly: boolean;
  /** It only adds to the plan, so agents need not ask before using it. */
  readonly isAdding?: true;
  /** The command to run: its name, options and arguments. */
  readonly command: (input: Record<string, unknown>) => Call;
  /** Which part of the data is the answer; all of it by default. */
  readonly answer?: (data: unknown) => unknown;
};

export type Call = {
  readonly words: readonly string[];
  readonly options?: ReadonlyArray<readonly [flag: string, value: unknown]>;
  readonly values?: readonly unknown[];
};

const text = z.string().max(200_000);
const taskId = z.string().min(1).max(256).describe('the id of a task');
const texts = z.array(text).max(1_000);

/** Title, description and so on, as `add` and `edit` take them. */
const fields = {
  description: text.optional().describe('what it is about'),
  prompt: text.optional().describe('what to tell the agent that does it'),
  notes: text.optional().describe('notes for people'),
  acceptanceCriteria: texts.optional().describe('what has to hold; replaces the old list'),
  verify: texts.optional().describe('commands that must succeed before it is done'),
};

const fieldOptions = ({
  title,
  description,
  prompt,
  notes,
  acceptanceCriteria,
  verify,
}: Record<string, unknown>) =>
  [
    ['--title', title],
    ['--description', description],
    ['--prompt', prompt],
    ['--notes', notes],
    ['--ac', acceptanceCriteria],
    ['--verify', verify],
  ] as const;

/** Everything an agent may do with the plan: read and change it. Nothing here runs or decides anything. */
export const mcpTools: readonly McpTool[] = [
  {
    name: 'list_tasks',
    description: 'Tasks of the plan: those that are ready, or those you ask for.',
    input: {
      which: z.enum(['ready', 'all', 'blocked', 'tree']).optional(),
      status: z.enum(taskStatuses).optional(),
    },
    isReadOnly: true,
    command: ({which = 'ready', status}) => ({
      words: ['list', ...(which === 'ready' ? [] : [`--${which}`])],
      options: [['--status', status]],
    }),
  },
  {
    name: 'show_task',
    description: 'One task in full, with its parent, children and dependencies.',
    input: {taskId},
    isReadOnly: true,
    command: (input) => ({words: ['show'], values: [input.taskId]}),
  },
  {
    name: 'explain_task',
    description: 'Why a task is not ready, what must finish first, and what to do about it.',
    input: {taskId},
    isReadOnly: true,
    command: (input) => ({words: ['why'], values: [input.taskId]}),
  },
  {
    name: 'next_task',
    description: 'The task that comes next in the order of the plan; null when none is ready.',
    input: {},
    isReadOnly: true,
    command: () => ({words: ['list']}),
    answer: (data) => ({task: (data as {tasks: readonly unknown[]}).tasks[0] ?? null}),
  },
  {
    name: 'add_task',
    description: 'Adds a task, at the end of the top level unless told otherwise.',
    input: {
      title: text,
      id: z.string().max(64).optional().describe('made from the title when left out'),
      ...fields,
      parentId: taskId.optional(),
      index: z.int().min(0).optional().describe('its position among its siblings, from 0'),
    },
    isReadOnly: false,
    isAdding: true,
    command: (input) => ({
      words: ['add'],
      options: [
        ...fieldOptions(input),
        ['--id', input.id],
        ['--parent', input.parentId],
        ['--index', input.index],
      ],
    }),
  },
  {
    name: 'edit_task',
    description:
      'Changes the text of a task. What is left out stays. keeps_checks in the answer: tasks whose open run keeps the checks it began with; a restart takes the new ones.',
    input: {taskId, title: text.optional(), ...fields},
    isReadOnly: false,
    command: (input) => ({words: ['edit'], options: fieldOptions(input), values: [input.taskId]}),
  },
  {
    name: 'move_task',
    description: 'Moves a task with all below it to another parent (or root) or place.',
    input: {taskId, parentId: taskId.optional(), index: z.int().min(0).optional()},
    isReadOnly: false,
    command: (input) => ({
      words: ['move'],
      options: [
        ['--parent', input.parentId],
        ['--index', input.index],
      ],
      values: [input.taskId],
    }),
  },
  {
    name: 'set_dependencies',
    description: 'Replaces what a task waits for; an empty list removes all.',
    input: {taskId, dependsOn: z.array(taskId).max(1_000)},
    isReadOnly: false,
    command: ({taskId: id, dependsOn}) => ({
      words: ['deps', 'set'],
      values: [id, ...(dependsOn as unknown[])],
    }),
  },
  {
    name: 'set_status',
    description:
      'Sets the status of a task by hand; parents follow. Refused while it runs or waits for a decision.',
    input: {taskId, status: z.enum(taskStatuses)},
    isReadOnly: false,
    command: (input) => ({words: ['set-status'], values: [input.taskId, input.status]}),
  },
  {
    name: 'read_runs',
    description: 'The runs of a task: state, provider, session, tokens, cost, how they ended.',
    input: {taskId, runId: z.string().max(256).optional()},
    isReadOnly: true,
    command: ({taskId: id, runId}) => ({
      words: ['runs'],
      values: [id, ...(runId === undefined ? [] : [runId])],
    }),
  },
  {
    name: 'read_report',
    description:
      'What happened to the plan in the last stretch of work, or since a time, and what needs a person.',
    input: {since: z.string().max(64).optional().describe('a time, or how long ago')},
    isReadOnly: true,
    command: ({since}) => ({words: ['report'], options: [['--since', since]]}),
  },
];

/** The argv a shell would pass. Values can never become options: they come after `=` or `--`. */
export function argvOf({words, options = [], values = []}: Call, folder: string): string[] {
  const flags = options.flatMap(([flag, value]) =>
    value === undefined ? [] : (Array.isArray(value) ? value : [value]).map((each) => `${flag}=${each}`),
  );
  return [...words, '--json', `--cwd=${folder}`, ...flags, '--', ...values.map(String)];
}
