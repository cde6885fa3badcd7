import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord, TaskDigest} from '../../../services/contracts/run.ts';

/** The parts of a task in its prompt, in the same order and with the same headings. */
const fields = [
  {name: 'title', heading: 'Title', textOf: ({title}: Task) => title},
  {name: 'prompt', heading: 'What to do', textOf: ({prompt = ''}: Task) => prompt},
  {name: 'description', heading: 'Description', textOf: ({description = ''}: Task) => description},
  {
    name: 'acceptanceCriteria',
    heading: 'Acceptance criteria',
    textOf: ({acceptanceCriteria}: Task) => acceptanceCriteria.map((each) => `- ${each}`).join('\n'),
  },
] as const;

/** A digest per field: enough to detect a change, and small whatever the text. */
export function taskDigest(task: Task, digest: (text: string) => string): TaskDigest {
  const [title, prompt, description, acceptanceCriteria] = fields.map(({textOf}) =>
    digest(textOf(task).trim()),
  ) as [string, string, string, string];
  return {title, prompt, description, acceptanceCriteria};
}

export type ChangedField = {readonly heading: string; readonly text: string};

/**
 * The fields of the task that changed since the agent of this run read them. Records of earlier versions do not tell.
 */
export function changedSince({context}: RunRecord, task: Task, now: TaskDigest): readonly ChangedField[] {
  const told = context?.told;
  if (told === undefined) return [];
  return fields
    .filter(({name}) => told[name] !== now[name])
    .map(({heading, textOf}) => ({heading, text: textOf(task)}));
}

/** Records the digests to be delivered, if anything changed. */
export function undeliveredDigest({context}: RunRecord, now: TaskDigest): {readonly telling?: TaskDigest} {
  const told = context?.told;
  return told && fields.every(({name}) => told[name] === now[name]) ? {} : {telling: now};
}

/** The agent got far enough to have read its prompt. */
export function markDelivered({feedback_undelivered: _, ...run}: RunRecord): RunRecord {
  const {telling} = run.context ?? {};
  return run.context && telling ? {...run, context: {...run.context, told: telling}} : run;
}

/** Nothing is being delivered now; what was not read remains to be delivered. */
export function withoutPendingDigest(run: RunRecord): RunRecord {
  if (run.context?.telling === undefined) return run;
  const {telling: _, ...context} = run.context;
  return {...run, context};
}
