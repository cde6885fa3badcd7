import type {OutsideProgram} from '../../machines/policies/text/outside-program.ts';
import {diffKeymap, diffStep} from '../diff/diff-keymap.ts';
import {inView} from '../diff/diff-lines.ts';
import {type DiffOutcome, diffMoveKeymap, moved} from '../diff/diff-moves.ts';
import {backStep, type DiffView, patchOf} from '../diff/diff-view.ts';
import type {KeyPress} from '../input/key-press.ts';
import {notNow} from '../keymap.ts';
import {diffReview} from '../model/diff-tab.ts';
import type {Command, CommandContext} from './command.ts';

/** The wheel scrolls what the pointer is over. */
const isWheel = (key: string): boolean => key.startsWith('wheel');

/** The keys of the focused Diff tab: those of every diff, and the way out. */
export const diffCommands: readonly Command[] = [
  ...[...diffKeymap, ...diffMoveKeymap]
    .filter(({keys}) => !keys.some(isWheel))
    .map(
      ({run, refusal, called: _, ...binding}): Command => ({
        ...binding,
        at: ['diff'],
        section: 'Read a diff',
        refusal: (facts, state) => {
          const shown = diffReview(state, facts);
          if (shown === null) return notNow;
          return refusal?.(shown.view, shown.frame) ?? null;
        },
        run: (context) => {
          const shown = diffReview(context.core.get(), context.core.facts());
          if (shown === null) return;
          const {state, outcome} = run(shown.view, shown.frame);
          keepView(context, shown.runId, inView(state, shown.frame));
          if (outcome) follow(context, outcome);
        },
      }),
    ),
  {
    id: 'diff.back',
    keys: ['escape'],
    label: 'back',
    at: ['diff'],
    refusal: (facts, state) => {
      const shown = diffReview(state, facts);
      return shown && backStep(shown.view) ? null : notNow;
    },
    run: (context) => {
      const shown = diffReview(context.core.get(), context.core.facts());
      const view = shown && backStep(shown.view);
      if (shown && view) keepView(context, shown.runId, view);
    },
  },
];

/** Scrolls from the tree and with the wheel. */
export function scrollDiff(context: CommandContext, rows: number): void {
  const shown = diffReview(context.core.get(), context.core.facts());
  if (shown) keepView(context, shown.runId, inView(moved(shown.view, shown.frame, rows), shown.frame));
}

/** Typing in a search of the diff. */
export function searchDiff(context: CommandContext, key: KeyPress): void {
  const shown = diffReview(context.core.get(), context.core.facts());
  const stepped = shown && diffStep(shown.view, key, shown.frame);
  if (shown && stepped) keepView(context, shown.runId, stepped.state);
}

/** Messages of the diff's keys appear in the usual place. */
function keepView({core}: CommandContext, runId: string, view: DiffView): void {
  core.patch({diffs: new Map(core.get().diffs).set(runId, {...view, notice: null})});
  if (view.notice !== null) core.say({tone: 'warning', text: view.notice});
}

function follow({core, open}: CommandContext, outcome: DiffOutcome): void {
  const {task} = core.facts();
  const shown = diffReview(core.get(), core.facts());
  if (!shown || !task) return;
  const run = (program: OutsideProgram) => core.patch({handover: {type: 'program', program}});
  if (outcome.type === 'openEditor') run({...outcome, type: 'editor'});
  else if (outcome.type === 'openPager') run({type: 'pager', patch: patchOf(shown.view).text});
  else {
    // Comments are written at the checkpoint that sends them, on the same line.
    core.patch({diffs: new Map(core.get().diffs).set(shown.runId, {...shown.view, isFocused: true})});
    open({type: 'checkpoint', taskId: task.id});
  }
}
