import {shellWord} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {PlanFieldEdit, SideEffect} from '../../../services/contracts/side-effects.ts';

/** What became of the agent's edits of the plan: `b (prompt)`. */
export type TakenBack = {readonly taken: readonly string[]; readonly left: readonly string[]};

export const isNothing = ({taken, left}: TakenBack): boolean => taken.length + left.length === 0;

export const withTakenBack = (run: RunRecord, {taken, left}: TakenBack): RunRecord =>
  isNothing({taken, left}) ? run : {...run, plan_taken_back: {taken: [...taken], left: [...left]}};

export const editName = ({task, field}: PlanFieldEdit): string => `${task} (${field})`;

/** One line for a person; null where there was nothing to take back. */
export function takenBackText({taken, left}: TakenBack): string | null {
  const parts = [
    ...(taken.length > 0 ? [`the agent's edits of the plan were taken back: ${taken.join(', ')}`] : []),
    ...(left.length > 0
      ? [
          `still in the plan, look before you go on: ${left.join(', ')}`,
          `change it with: ${[...new Set(left.map(editOf))].slice(0, shownCommands).join(', ')}`,
        ]
      : []),
  ];
  return parts.length === 0 ? null : parts.join('; ');
}

const shownCommands = 3;

/** The command for what stayed; the name is that of `editName`. */
function editOf(name: string): string {
  const [, task = name, field = ''] = /^(.*) \((.*)\)$/s.exec(name) ?? [];
  const verb = field === 'added' ? 'delete' : field === 'removed' ? 'add --id' : 'edit';
  return `blackbird ${verb} ${shellWord(task)}`;
}

/** What is shown of side effects: each, and below an edited plan what its fields were and are. */
export const effectTexts = (effects: readonly SideEffect[] = []): string[] =>
  effects.flatMap(({text, edits = [], more_edits: unkept = 0}) => {
    const values = edits.flatMap(valuesText);
    const more = values.length > shownEdits ? values.length - shownEdits + unkept : 0;
    const rest = more > 0 ? [`and ${more} more, see the record of the run`] : [];
    return [text, ...values.slice(0, shownEdits), ...rest];
  });

/** Nobody reads more before a decision. */
const shownEdits = 10;

/** The same edit of the same plan is told once, another value of the same field is another edit. */
export const effectKey = ({text, edits}: SideEffect): string => JSON.stringify([text, edits]);

function valuesText(edit: PlanFieldEdit): string[] {
  const {before, after, is_cut: isCut} = edit;
  if (edit.field === 'added' || edit.field === 'removed') return [];
  if (isCut) return [`${editName(edit)}: too long to be shown`];
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  return [`${editName(edit)}: ${part(old, start)} → ${part(now, start)}`];
}

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing');

/** A long text from shortly before it differs. */
const [lead, shownLength] = [30, 120];
function part(text: string, start: number): string {
  const from = text.length <= shownLength ? 0 : Math.max(0, start - lead);
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? '…' : ''}${cut}${from + shownLength < text.length ? '…' : ''}`;
}
