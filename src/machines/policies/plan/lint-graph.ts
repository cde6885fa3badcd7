import {shellWord} from '../../../services/contracts/errors.ts';
import type {Plan, Task} from '../../../services/contracts/plan.ts';
import type {Finding} from './lint-finding.ts';
import {heldUpBy, skippedBelow, stuckGroups} from './never-done.ts';
import {ancestorsOf, isLeaf, walkTree} from './plan-graph.ts';
import {isOver} from './readiness.ts';

/** Findings that only the plan as a whole shows. */
export function planFindings(plan: Plan, isDraft = false): Finding[] {
  return [...neverDone(plan, isDraft), ...sharedFiles(plan, isDraft)];
}

/**
 * A parent is done after its children, and a task after its dependencies. A task that waits for itself this way waits
 * forever, and so does one that waits for a skipped task, or for a parent with a skipped child.
 */
function neverDone(plan: Plan, isDraft: boolean): Finding[] {
  const groups = stuckGroups(plan, heldUpBy);
  const skipped = skippedBelow(plan);
  return [...plan.items.values()].flatMap((task) =>
    task.deps.flatMap((id): Finding[] => {
      const target = plan.items.get(id);
      const isStuck = groups.has(task.id) && groups.get(task.id) === groups.get(id);
      const below = skipped.get(id);
      if (target === undefined || (!isStuck && below === undefined)) return [];
      const why =
        below === id
          ? 'which is skipped and never done'
          : `which is never done: ${below} below it is skipped`;
      const message = isStuck
        ? `depends on ${id}, which can only be done after it`
        : `depends on ${id}, ${why}`;
      const suggestion = isDraft
        ? `remove its dependency on ${id}`
        : `blackbird deps remove ${shellWord(task.id)} ${shellWord(id)}`;
      return [
        {
          severity: 'blocking',
          code: 'dependency_never_done',
          taskId: task.id,
          field: 'deps',
          message,
          suggestion,
        },
      ];
    }),
  );
}

/** A file in a folder, or one with a known extension, as written in a sentence; "and/or" is not a file. */
const fileName =
  /(?:^|[\s`'"(])((?:[\w.@-]+\/)+[\w.@-]*\.\w{1,10}|[\w-]+(?:\.[\w-]+)*\.(?:[cm]?[jt]sx?|py|go|rs|rb|java|kt|c|h|cpp|cs|php|md|json|ya?ml|toml|sql|css|scss|html|sh))(?=$|[\s`'",.;:)])/g;

/** A file named by more tasks than this is probably named by all of them. */
const fewTasks = 20;

/** Two leaves can run in any order unless one depends on the other. */
function sharedFiles(plan: Plan, isDraft: boolean): Finding[] {
  const byFile = new Map<string, Task[]>();
  for (const {task} of walkTree(plan)) {
    if (!isLeaf(task) || isOver(task)) continue;
    for (const file of filesIn(task)) {
      const tasks = byFile.get(file);
      if (tasks) tasks.push(task);
      else byFile.set(file, [task]);
    }
  }
  const waits = waitsIn(plan);
  const told = new Set<string>();
  return [...byFile].flatMap(([file, tasks]) => {
    if (tasks.length < 2 || tasks.length > fewTasks) return [];
    return tasks.slice(1).flatMap((task, index): Finding[] => {
      const other = tasks[index];
      const pair = `${other?.id}\0${task.id}`;
      if (other === undefined || told.has(pair) || waits(task, other) || waits(other, task)) return [];
      told.add(pair);
      return [
        {
          severity: 'hint',
          code: 'leaf_shared_file',
          taskId: task.id,
          field: 'deps',
          message: `names ${file}, as ${other.id} does, and neither waits for the other`,
          suggestion: isDraft
            ? `let one wait for the other: ${task.id} for ${other.id}`
            : `blackbird deps add ${shellWord(task.id)} ${shellWord(other.id)}`,
        },
      ];
    });
  });
}

function filesIn({title, description = '', prompt = '', acceptanceCriteria}: Task): ReadonlySet<string> {
  const text = [title, description, prompt, ...acceptanceCriteria].join('\n');
  return new Set([...text.matchAll(fileName)].flatMap(([, file]) => (file === undefined ? [] : [file])));
}

/** The maximum number of tasks searched for a dependency; beyond that, one is assumed. */
const searchBudget = 200_000;

function waitsIn(plan: Plan): (task: Task, other: Task) => boolean {
  let budget = searchBudget;
  return (task, other) => {
    if (budget < 0) return true;
    const above = new Set([other.id, ...ancestorsOf(plan, other).map(({id}) => id)]);
    budget -= above.size;
    const seen = new Set<string>();
    const queue = [...task.deps];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (above.has(id) || --budget < 0) return true;
      if (seen.has(id)) continue;
      seen.add(id);
      const next = plan.items.get(id);
      // One by one: the number of arguments of a call is limited, the number of children is not.
      for (const each of next ? heldUpBy(next) : []) queue.push(each);
    }
    return false;
  };
}
