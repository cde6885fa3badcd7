import type {ImportList, ImportProblem} from './imported-task.ts';
import {isRecord, textOf} from './json-values.ts';

/** Issues as `gh issue list --json number,title,body,labels,state` prints them. */
export function issueTasks(value: unknown): ImportList {
  const problems: ImportProblem[] = [];
  const issues = (Array.isArray(value) ? value : []).map((each: unknown, index) => {
    const issue = isRecord(each) ? each : {};
    const number = Number.isSafeInteger(issue.number) ? Number(issue.number) : Number.NaN;
    const at = `issue ${Number.isNaN(number) ? index + 1 : `#${number}`}`;
    const title = textOf(issue.title).trim();
    if (Number.isNaN(number)) problems.push({at, message: 'no number'});
    else if (title === '') problems.push({at, message: 'no title'});
    return {
      at,
      number,
      title,
      body: bodyOf(issue.body),
      labels: labelsOf(issue.labels),
      state: textOf(issue.state),
    };
  });
  if (problems.length > 0) return {problems};
  const known = new Set(issues.map(({number}) => String(number)));
  return {
    tasks: issues.map(({at, number, title, body, labels, state}) => ({
      key: String(number),
      at,
      id: null,
      idWish: `issue-${number}`,
      parentKey: null,
      title,
      fields: {
        description: body,
        acceptanceCriteria: checkboxesOf(body),
        ...(labels.length === 0 ? {} : {notes: `labels: ${labels.join(', ')}`}),
      },
      deps: depsOf(body).filter((dep) => known.has(dep) && dep !== String(number)),
      status: state.toLowerCase() === 'closed' ? 'done' : 'todo',
    })),
  };
}

const bodyOf = (value: unknown) => textOf(value).replaceAll('\r\n', '\n').trim();

function labelsOf(value: unknown): string[] {
  if (!Array.isArray(value)) return [];
  return value
    .map((label: unknown) => textOf(isRecord(label) ? label.name : label))
    .filter((name) => name !== '');
}

/** Checkboxes in an issue are its acceptance criteria. */
function checkboxesOf(body: string): string[] {
  return body.split('\n').flatMap((line) => /^\s*[-*+] \[[ xX]\]\s+(\S.*?)\s*$/.exec(line)?.[1] ?? []);
}

/** `Depends on #12`, `blocked by #12, #13`. */
function depsOf(body: string): string[] {
  const found = body.matchAll(/\b(?:depends on|blocked by):?((?:[\s,]{1,3}(?:and )?#\d{1,9})+)/gi);
  return [...new Set([...found].flatMap(([, list = '']) => list.match(/\d+/g) ?? []))];
}
