import {
  type PlanAnswer,
  type PlanKind,
  planAnswerLimit,
  planAnswerShapes,
} from '../../../services/contracts/plan-answer.ts';
import type {ProposedOperation} from '../../../services/contracts/plan-draft.ts';
import type {Question} from '../../../services/contracts/run.ts';
import {jsonObjectsIn} from '../text/json-objects.ts';

/** The content of an answer: questions, or changes to the plan; otherwise all of its problems. */
export type ReadPlanAnswer =
  | {readonly type: 'questions'; readonly questions: readonly Question[]}
  | {readonly type: 'operations'; readonly operations: readonly ProposedOperation[]}
  | {readonly type: 'unusable'; readonly problems: readonly string[]};

/** The field beside `questions` for each kind. */
const fieldOf = {generate: 'tasks', refine: 'operations', deps: 'dependencies'} as const;

/** More problems than this do not help to fix the answer. */
const problemLimit = 50;

/** Parses an answer strictly, wherever it is in the text: exactly one object of the requested form. */
export function readPlanAnswer(kind: PlanKind, text: string): ReadPlanAnswer {
  if (text.length >= planAnswerLimit) return unusable(['it is too long']);
  const field = fieldOf[kind];
  const {objects, isCut} = jsonObjectsIn(text);
  if (isCut) return unusable(['it contains too much JSON, or JSON that is nested too deeply']);
  const answers = new Map(
    objects
      .filter(({keys}) => keys.includes(field) || keys.includes('questions'))
      .map(({value}) => [JSON.stringify(value), value]),
  );
  const [first, ...others] = answers.values();
  if (first === undefined) return unusable([`it contains no JSON object with "${field}" or "questions"`]);
  if (others.length > 0) return unusable(['it contains several different answers; send exactly one']);
  const {data, error} = planAnswerShapes[kind].safeParse(first);
  if (!data) {
    const problems = error.issues.map(({path, message}) => `${pathText(path)}: ${message}`);
    return unusable(problems);
  }
  const answer = {...data, kind} as PlanAnswer;
  const operations = operationsOf(answer);
  if (answer.questions.length > 0) {
    return operations.length > 0
      ? unusable([`it asks and answers at once: leave "${field}" or "questions" empty`])
      : readQuestions(answer.questions);
  }
  if (operations.length === 0 && kind === 'generate')
    return unusable(['"tasks" is empty, and nothing is asked']);
  return {type: 'operations', operations};
}

function unusable(problems: readonly string[]): ReadPlanAnswer {
  const left = problems.length - problemLimit;
  const shown = problems.slice(0, problemLimit);
  return {type: 'unusable', problems: left > 0 ? [...shown, `… and ${left} more`] : shown};
}

function readQuestions(questions: PlanAnswer['questions']): ReadPlanAnswer {
  const ids = questions.map(({id}) => id);
  const twice = ids.find((id, place) => ids.indexOf(id) < place);
  if (twice !== undefined) return unusable([`two questions have the id ${JSON.stringify(twice)}`]);
  return {
    type: 'questions',
    questions: questions.map(({id, prompt, options}) => ({
      id,
      prompt,
      ...(options.length > 0 && {options}),
    })),
  };
}

/** Converts all kinds to the same operations, so that one transaction applies them. */
function operationsOf(answer: PlanAnswer): ProposedOperation[] {
  switch (answer.kind) {
    case 'generate':
      return answer.tasks.map((task) => ({type: 'add', task}));
    case 'deps':
      return answer.dependencies.map(({id, deps}) => ({
        type: 'deps',
        taskId: id,
        deps: deps.map((dep) => dep.id),
        depRationale: Object.fromEntries(
          deps.filter(({reason}) => reason.trim() !== '').map((dep) => [dep.id, dep.reason]),
        ),
      }));
    case 'refine':
      return answer.operations.map(operationOf);
  }
}

type Operation = Extract<PlanAnswer, {kind: 'refine'}>['operations'][number];

function operationOf(operation: Operation): ProposedOperation {
  switch (operation.op) {
    case 'add': {
      const {task, index} = operation;
      return {type: 'add', task: {...task, ...(index === null ? {} : {index})}};
    }
    case 'edit': {
      const {op: _, id, ...values} = operation;
      const fields = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
      return {type: 'edit', taskId: id, fields};
    }
    case 'move': {
      const {id, parentId, index} = operation;
      return {type: 'move', taskId: id, place: {parentId, ...(index === null ? {} : {index})}};
    }
    case 'delete':
      return {type: 'delete', taskId: operation.id, cascade: true};
    case 'set_deps':
      return {type: 'deps', taskId: operation.id, deps: operation.deps};
  }
}

/** `tasks[2].title`. */
const pathText = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? 'the answer'
    : path
        .map((part, place) =>
          typeof part === 'number' ? `[${part}]` : `${place === 0 ? '' : '.'}${String(part)}`,
        )
        .join('');
