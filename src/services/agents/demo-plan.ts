import {firstWordsId} from '../contracts/task-id.ts';

/** The kinds of planning request, named after the field of the answer that the planner fills in. */
const planFields = ['tasks', 'operations', 'dependencies'] as const;
export type PlanField = (typeof planFields)[number];

/** The field that a planner's answer schema asks for; null for any other schema. */
export function planFieldOf(schema: unknown): PlanField | null {
  const properties = (schema as {properties?: object} | null)?.properties ?? {};
  return planFields.find((field) => Object.hasOwn(properties, field)) ?? null;
}

/**
 * Makes a plan without a model: one task per list item of the request, or per sentence if it has no list. The same
 * request always gives the same plan. `prompts` are all prompts of the session.
 */
export function demoPlan(field: PlanField, prompts: readonly string[]): Record<string, unknown> {
  const known = new Map(prompts.flatMap(knownTasks).map((task) => [task.id, task]));
  const wanted = prompts.flatMap((prompt) =>
    requestTitles.flatMap((title) => pointsOf(sectionOf(prompt, title))),
  );
  if (field === 'dependencies') return {questions: [], dependencies: chained([...known.values()])};
  const taken = new Set(known.keys());
  const tasks = wanted.map((point) => taskFor(point, taken));
  if (field === 'tasks') return {questions: [], tasks};
  const named = prompts.flatMap((prompt) => pointsOf(sectionOf(prompt, scopeTitle)));
  const operations =
    named.length > 0
      ? named.map((id) => editOf(id, known.get(id), wanted.join(' ')))
      : tasks.map((task) => ({op: 'add', task, index: null}));
  return {questions: [], operations};
}

const requestTitles = ['What to plan', 'How to change the plan', 'Requested changes'];
const scopeTitle = 'The only tasks you may change (including their subtasks)';

function sectionOf(prompt: string, title: string): string {
  const [, body = ''] = `\n${prompt}`.split(`\n# ${title}\n`);
  return body.split(/\n# /)[0] ?? '';
}

function pointsOf(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(
      (line) => line !== '' && !line.startsWith('demo:') && !line.startsWith('Send your complete answer'),
    );
  const points = lines.flatMap((line) => /^(?:[-*]|\d+[.)])\s+(.*)$/.exec(line)?.[1] ?? []);
  const sentences = lines.join(' ').split(/(?<=[.;!?])\s+/);
  return (points.length > 0 ? points : sentences)
    .map((point) => point.replace(/[.;!?]+$/, '').trim())
    .filter((point) => point !== '');
}

type KnownTask = {readonly id: string; readonly parentId?: string | null; readonly description?: string};

/** The prompt lists the plan, one task per line. */
function knownTasks(prompt: string): KnownTask[] {
  return sectionOf(prompt, 'The plan as it stands')
    .split('\n')
    .flatMap((line) => {
      if (!line.startsWith('{"id"')) return [];
      try {
        return [JSON.parse(line) as KnownTask];
      } catch {
        // A truncated line is a task this agent does not know.
        return [];
      }
    });
}

function taskFor(point: string, taken: Set<string>) {
  const words = point.toLowerCase().match(/[a-z0-9]+/g) ?? ['task'];
  const base = firstWordsId(words, 40, 4);
  let id = base;
  for (let count = 2; taken.has(id); count++) id = `${base}-${count}`;
  taken.add(id);
  const file = `notes/${id}.md`;
  return {
    id,
    parentId: null,
    title: point.slice(0, 120),
    description: `${point}. The demo agent writes what it would do into ${file}, so that it can be read.`,
    acceptanceCriteria: [`${file} exists`, `${file} contains the title of the task`],
    prompt: `Create ${file} and verify that it contains the title.\ndemo: write ${file} ${point}`,
    deps: [],
  };
}

const editOf = (id: string, task: KnownTask | undefined, request: string) => ({
  op: 'edit',
  id,
  title: null,
  description: [task?.description, request].filter(Boolean).join(' '),
  acceptanceCriteria: null,
  prompt: null,
});

/** Makes each leaf depend on the one before it. */
function chained(tasks: readonly KnownTask[]) {
  const parents = new Set(tasks.map(({parentId}) => parentId));
  const leaves = tasks.filter(({id}) => !parents.has(id));
  return leaves.slice(1).map(({id}, place) => ({
    id,
    deps: [{id: leaves[place]?.id, reason: 'it comes before it in the plan'}],
  }));
}
