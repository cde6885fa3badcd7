import {shellWord} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {PlanFieldEdit, SideEffect} from '../../../services/contracts/side-effects.ts';

/** What happened to the agent's edits of the plan, such as `b (prompt)`, and of the settings. */
export type TakenBack = {
  readonly taken: readonly string[];
  readonly left: readonly string[];
  readonly settings?: SettingsTakenBack;
};

/** The keys that were restored, and those that were not, with the command that restores each. */
export type SettingsTakenBack = {
  readonly taken: readonly string[];
  readonly left: ReadonlyArray<{readonly key: string; readonly command: string}>;
};

const isEmpty = ({taken, left}: {taken: readonly unknown[]; left: readonly unknown[]}): boolean =>
  taken.length + left.length === 0;

export const isNothing = (back: TakenBack): boolean =>
  isEmpty(back) && (back.settings === undefined || isEmpty(back.settings));

export const withTakenBack = (run: RunRecord, {settings, ...plan}: TakenBack): RunRecord => ({
  ...run,
  ...(!isEmpty(plan) && {plan_taken_back: {taken: [...plan.taken], left: [...plan.left]}}),
  ...(settings &&
    !isEmpty(settings) && {settings_taken_back: {taken: [...settings.taken], left: [...settings.left]}}),
});

/** After a rejection or an undo: one line about the plan and one about the settings. */
export function takenBackTexts(run: Pick<RunRecord, 'plan_taken_back' | 'settings_taken_back'>): string[] {
  const {plan_taken_back: plan, settings_taken_back: settings} = run;
  return [plan ? takenBackText(plan) : null, settings ? settingsBackText(settings) : null].filter(
    (text) => text !== null,
  );
}

function settingsBackText({taken, left}: SettingsTakenBack): string {
  const keys = left.map(({key}) => key);
  const commands = [...new Set(left.map(({command}) => command))];
  const parts = [
    ...(taken.length > 0 ? [`the agent's edits of the settings were reverted: ${taken.join(', ')}`] : []),
    ...(left.length > 0
      ? [
          `settings that stay as they are now, check before you continue: ${keys.join(', ')}`,
          `restore them with: ${commands.slice(0, shownCommands).join(', ')}`,
        ]
      : []),
  ];
  return parts.join('; ');
}

export const editName = ({task, field}: PlanFieldEdit): string => `${task} (${field})`;

/** One line; null if there was nothing to restore. */
export function takenBackText({taken, left}: TakenBack): string | null {
  const parts = [
    ...(taken.length > 0 ? [`the agent's edits of the plan were reverted: ${taken.join(', ')}`] : []),
    ...(left.length > 0
      ? [
          `still in the plan, check before you continue: ${left.join(', ')}`,
          `change it with: ${[...new Set(left.map(editOf))].slice(0, shownCommands).join(', ')}`,
        ]
      : []),
  ];
  return parts.length === 0 ? null : parts.join('; ');
}

const shownCommands = 3;

/** The command to change what stayed; `name` comes from `editName`. */
function editOf(name: string): string {
  const [, task = name, field = ''] = /^(.*) \((.*)\)$/s.exec(name) ?? [];
  const verb = field === 'added' ? 'delete' : field === 'removed' ? 'add --id' : 'edit';
  return `blackbird ${verb} ${shellWord(task)}`;
}

/** The side effects for display, with old and new values below edits of plans and settings. */
export const effectTexts = (effects: readonly SideEffect[] = []): string[] =>
  effects.flatMap((effect) => [effect.text, ...detailsOf(effect)]);

/** The same for a run, preceded by the reason if its change cannot be shown. */
export function warningTexts({
  baseline_tree,
  review_summary: summary,
  side_effects,
}: Pick<RunRecord, 'baseline_tree' | 'review_summary' | 'side_effects'>): string[] {
  const isUnknown = baseline_tree !== undefined && summary?.note !== undefined;
  return [
    ...(isUnknown ? [`the change cannot be shown: ${summary.note}`] : []),
    ...effectTexts(side_effects),
  ];
}

/** The same for small spaces: one of each kind first, then the others, details last. */
export function effectsByRank(effects: readonly SideEffect[] = []): {heads: string[]; details: string[]} {
  const isFirst = ({kind}: SideEffect, place: number) =>
    effects.findIndex((other) => other.kind === kind) === place;
  const [first, others] = [
    effects.filter(isFirst),
    effects.filter((effect, place) => !isFirst(effect, place)),
  ];
  return {heads: [...first, ...others].map(({text}) => text), details: effects.flatMap(detailsOf)};
}

function detailsOf({edits = [], settings = [], more_edits, more_settings}: SideEffect): string[] {
  const values = [...edits.flatMap(valuesText), ...settings.map((edit) => changeText(edit.key, edit))];
  const unkept = more_edits ?? more_settings ?? 0;
  const more = values.length > shownEdits ? values.length - shownEdits + unkept : 0;
  const rest = more > 0 ? [`and ${more} more, see the record of the run`] : [];
  return [...values.slice(0, shownEdits), ...rest];
}

/** Nobody reads more before a decision. */
const shownEdits = 10;

/** The same edit of the same plan is shown once; another value of the same field is another edit. */
export const effectKey = ({text, edits, settings}: SideEffect): string =>
  JSON.stringify([text, edits, settings]);

function valuesText(edit: PlanFieldEdit): string[] {
  return edit.field === 'added' || edit.field === 'removed' ? [] : [changeText(editName(edit), edit)];
}

function changeText(name: string, edit: Pick<PlanFieldEdit, 'before' | 'after' | 'is_cut'>): string {
  const {before, after, is_cut: isCut} = edit;
  if (isCut) return `${name}: too long to be shown`;
  const [old, now] = [wordsOf(before), wordsOf(after)];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start++;
  return `${name}: ${part(old, start)} → ${part(now, start)}`;
}

const wordsOf = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? 'nothing');

/** Shows a long text from shortly before the first difference. */
const [lead, shownLength] = [30, 120];
function part(text: string, start: number): string {
  const from = text.length <= shownLength ? 0 : Math.max(0, start - lead);
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? '…' : ''}${cut}${from + shownLength < text.length ? '…' : ''}`;
}
