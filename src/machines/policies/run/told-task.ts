import type {Task} from '../../../services/contracts/plan.ts';
import type {RunRecord, ToldTask} from '../../../services/contracts/run.ts';

/** What an agent is told of its task, in the order and words of its prompt. */
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

/** A digest for each field: enough to see that it was changed, and small whatever its text. */
export function toldTask(task: Task, digest: (text: string) => string): ToldTask {
  const [title, prompt, description, acceptanceCriteria] = fields.map(({textOf}) =>
    digest(textOf(task).trim()),
  ) as [string, string, string, string];
  return {title, prompt, description, acceptanceCriteria};
}

export type ChangedField = {readonly heading: string; readonly text: string};

/** What of the task is not what the agent of this run heard. Records of earlier versions do not say. */
export function changedSince({context}: RunRecord, task: Task, now: ToldTask): readonly ChangedField[] {
  const told = context?.told;
  if (told === undefined) return [];
  return fields
    .filter(({name}) => told[name] !== now[name])
    .map(({heading, textOf}) => ({heading, text: textOf(task)}));
}

/** What the order or the record says where there is something new to tell. */
export function tellingFor({context}: RunRecord, now: ToldTask): {readonly telling?: ToldTask} {
  const told = context?.told;
  return told && fields.every(({name}) => told[name] === now[name]) ? {} : {telling: now};
}

/** The agent came far enough to have heard what it was told. */
export function heard({feedback_undelivered: _, ...run}: RunRecord): RunRecord {
  const {telling} = run.context ?? {};
  return run.context && telling ? {...run, context: {...run.context, told: telling}} : run;
}

/** Nobody is being told anything: what was not heard is still to be told. */
export function toldNothingMore(run: RunRecord): RunRecord {
  if (run.context?.telling === undefined) return run;
  const {telling: _, ...context} = run.context;
  return {...run, context};
}
