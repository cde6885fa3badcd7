import {shellWord} from '../../../services/contracts/errors.ts';
import type {RunRecord} from '../../../services/contracts/run.ts';
import type {PlanFieldEdit, SideEffect} from '../../../services/contracts/side-effects.ts';

/** What became of the agent's edits of the plan: `b (prompt)`; and of the settings. */
export type TakenBack = {
  readonly taken: readonly string[];
  readonly left: readonly string[];
  readonly settings?: SettingsTakenBack;
};

/** The keys that are as before, and those that are not, with the command that puts each back. */
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

/** Of a rejected run or an undo, one line each for a person: what became of the plan and of the settings. */
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
    ...(taken.length > 0 ? [`the agent's edits of the settings were taken back: ${taken.join(', ')}`] : []),
    ...(left.length > 0
      ? [
          `settings that stay as they are now, check before you continue: ${keys.join(', ')}`,
          `put them back with: ${commands.slice(0, shownCommands).join(', ')}`,
        ]
      : []),
  ];
  return parts.join('; ');
}

export const editName = ({task, field}: PlanFieldEdit): string => `${task} (${field})`;

/** One line for a person; null where there was nothing to take back. */
export function takenBackText({taken, left}: TakenBack): string | null {
  const parts = [
    ...(taken.length > 0 ? [`the agent's edits of the plan were taken back: ${taken.join(', ')}`] : []),
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

/** The command for what stayed; the name is that of `editName`. */
function editOf(name: string): string {
  const [, task = name, field = ''] = /^(.*) \((.*)\)$/s.exec(name) ?? [];
  const verb = field === 'added' ? 'delete' : field === 'removed' ? 'add --id' : 'edit';
  return `blackbird ${verb} ${shellWord(task)}`;
}

/** What is shown of side effects: each, and below edited plans and settings what their fields were and are. */
export const effectTexts = (effects: readonly SideEffect[] = []): string[] =>
  effects.flatMap((effect) => [effect.text, ...detailsOf(effect)]);

/** The same of a run, after what keeps its change from being shown: its files were recorded before the agent began. */
export function bewareTexts({
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

/** The same where there is little room: one of each kind first, then the others, and the details behind them all. */
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

/** The same edit of the same plan is told once, another value of the same field is another edit. */
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

/** A long text from shortly before it differs. */
const [lead, shownLength] = [30, 120];
function part(text: string, start: number): string {
  const from = text.length <= shownLength ? 0 : Math.max(0, start - lead);
  const cut = text.slice(from, from + shownLength);
  return `${from > 0 ? '…' : ''}${cut}${from + shownLength < text.length ? '…' : ''}`;
}
