import {messageOf} from '../../../services/contracts/errors.ts';
import {csvTasks} from './csv-tasks.ts';
import type {ImportFormat} from './import-formats.ts';
import {type ImportedTask, type ImportList, type ImportProblem, importLimit} from './imported-task.ts';
import {jsonTasks, kindOfJson} from './json-tasks.ts';
import {markdownTasks} from './markdown-tasks.ts';

export type ImportText = {
  readonly text: string;
  /** The name of the file; null for stdin. */
  readonly name: string | null;
  readonly format?: ImportFormat;
  readonly tag?: string;
  readonly digest: (text: string) => string;
};

/** Reads a list in the given format, or detects it. */
export function readImport({text, name, format, tag, digest}: ImportText): {
  readonly format: ImportFormat;
  readonly list: ImportList;
} {
  const found = format ?? formatOf(text, name);
  if (found === 'md') return {format: found, list: checked({tasks: markdownTasks(text, digest)})};
  if (found === 'csv') return {format: found, list: checked(csvTasks(text, digest))};
  const value = parsed(text);
  if ('problem' in value) return {format: found ?? 'issues', list: {problems: [value.problem]}};
  const kind = found ?? kindOfJson(value.json);
  if (kind === null) {
    const message = 'this JSON is neither a tasks.json of task-master nor a list of issues';
    return {format: 'issues', list: {problems: [{at: 'file', message}]}};
  }
  return {format: kind, list: checked(jsonTasks(value.json, kind, tag))};
}

/** Null for JSON, where the content decides. */
function formatOf(text: string, name: string | null): ImportFormat | null {
  if (/^\ufeff?\s*[[{]/.test(text) && !/\.(md|markdown|csv)$/i.test(name ?? '') && !/^\s*\[.?\]/.test(text)) {
    return null;
  }
  if (/\.csv$/i.test(name ?? '')) return 'csv';
  if (name !== null && !/\.json$/i.test(name)) return 'md';
  return /^\s*([-*+]|\d{1,9}[.)])\s/m.test(text) ? 'md' : 'csv';
}

function parsed(text: string): {json: unknown} | {problem: ImportProblem} {
  try {
    return {json: JSON.parse(text.replace(/^\ufeff/, ''))};
  } catch (error) {
    return {problem: {at: 'file', message: `it is not valid JSON: ${messageOf(error)}`}};
  }
}

function checked(list: ImportList): ImportList {
  if ('problems' in list) return list;
  const {tasks} = list;
  if (tasks.length === 0) return {problems: [{at: 'file', message: 'there is no task in it'}]};
  if (tasks.length > importLimit) {
    return {problems: [{at: 'file', message: `it has more than ${importLimit} tasks`}]};
  }
  const problems = duplicates(tasks);
  return problems.length > 0 ? {problems} : list;
}

function duplicates(tasks: readonly ImportedTask[]): ImportProblem[] {
  const first = new Map<string, string>();
  return tasks.flatMap(({key, at, id}) => {
    const before = first.get(key);
    if (before === undefined) first.set(key, at);
    return before === undefined
      ? []
      : [{at, message: `the same id as ${before}: ${JSON.stringify(id ?? key)}`}];
  });
}
