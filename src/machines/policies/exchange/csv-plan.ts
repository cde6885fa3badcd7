import type {Plan, Task} from '../../../services/contracts/plan.ts';
import {walkTree} from '../plan/plan-graph.ts';
import {csvLine} from './csv.ts';
import {type CsvColumn, csvColumns} from './csv-tasks.ts';

/** A table with one row per task in tree order; `plan import` can read it. */
export function csvPlan(plan: Plan): string {
  const rows = [...walkTree(plan)].map(({task}) => csvLine(csvColumns.map((column) => cells[column](task))));
  return [csvColumns.join(','), ...rows].join('\n');
}

const cells: Readonly<Record<CsvColumn, (task: Task) => string>> = {
  id: ({id}) => id,
  parent: ({parentId}) => parentId ?? '',
  title: ({title}) => title,
  status: ({status}) => status,
  deps: ({deps}) => deps.join(' '),
  description: ({description}) => description ?? '',
  acceptance_criteria: ({acceptanceCriteria}) => acceptanceCriteria.join('\n'),
  prompt: ({prompt}) => prompt ?? '',
  notes: ({notes}) => notes ?? '',
  verify: ({verify}) => (verify ?? []).join('\n'),
  agent: ({agent}) => agent ?? '',
  model: ({model}) => model ?? '',
  effort: ({effort}) => effort ?? '',
};
