import {reveal} from './model/browse.ts';
import type {MadeEdit} from './model/facts.ts';
import type {PlanChange, TuiPorts} from './ports.ts';
import type {TuiCore} from './tui-core.ts';

type Shown = Pick<TuiCore, 'patch' | 'get' | 'facts'>;

/** The maximum number of undo steps. */
const undoLimit = 100;

/** Waits for a change, reports it and what it leaves out, and remembers it for undo. */
export async function applyChange(
  core: Shown,
  label: string,
  change: Promise<PlanChange>,
  unreached: (change: PlanChange) => string = () => '',
): Promise<void> {
  const done = await change;
  if (done.after === done.before) {
    core.patch({notice: {tone: 'accent', text: 'nothing was changed'}});
    return;
  }
  rememberChange(core, label, done);
  const rest = unreached(done);
  core.patch({
    notice:
      rest === ''
        ? {tone: 'good', text: `${label} (${undoKey(core)} undoes it)`}
        : {tone: 'warning', text: rest},
  });
}

/** In a diff, z zooms. */
const undoKey = ({get, facts}: Shown): string => {
  const {pane, tab} = get().browse;
  return pane === 'detail' && tab === 'diff' && facts().shownRun ? 'esc, then z' : 'z';
};

/** Makes it the latest change, undone in one step. */
export function rememberChange(core: Shown, label: string, change: PlanChange): void {
  showChange(core, change);
  const {edits} = core.get();
  core.patch({edits: {done: [...edits.done, {label, change}].slice(-undoLimit), undone: []}});
}

/** The undo or redo in progress; the next one waits for it, or two quick keys would revert one change twice. */
const turns = new WeakMap<Shown, Promise<void>>();

function inTurn(core: Shown, revert: () => Promise<void>): Promise<void> {
  const turn = (turns.get(core) ?? Promise.resolve()).then(revert, revert);
  turns.set(core, turn);
  return turn;
}

/** Undoes the latest change. A refused one stays the latest. */
export const undoEdit = (core: Shown, ports: Pick<TuiPorts, 'undo'>): Promise<void> =>
  inTurn(core, async () => {
    const last = core.get().edits.done.at(-1);
    if (!last) return;
    const undone = await reverted(core, ports, last);
    const {edits} = core.get();
    core.patch({
      edits: {done: edits.done.filter((each) => each !== last), undone: [...edits.undone, undone]},
      notice: {tone: 'good', text: `undone: ${last.label} (Z redoes it)`},
    });
  });

/** Redoing a change is undoing its undo. */
export const redoEdit = (core: Shown, ports: Pick<TuiPorts, 'undo'>): Promise<void> =>
  inTurn(core, async () => {
    const last = core.get().edits.undone.at(-1);
    if (!last) return;
    const redone = await reverted(core, ports, last);
    const {edits} = core.get();
    core.patch({
      edits: {done: [...edits.done, redone], undone: edits.undone.filter((each) => each !== last)},
      notice: {tone: 'good', text: `redone: ${last.label}`},
    });
  });

async function reverted(core: Shown, ports: Pick<TuiPorts, 'undo'>, edit: MadeEdit): Promise<MadeEdit> {
  const change = await ports.undo(edit.change);
  showChange(core, change);
  const {plan, entries} = core.facts();
  // A restored task is selected; a removed one leaves its row to its neighbour.
  const back = [...change.after.items.keys()].find((id) => !change.before.items.has(id));
  if (plan && back !== undefined) core.patch({browse: reveal(core.get().browse, plan, entries, back)});
  return {...edit, change};
}

/** Shows a change at once: the next read from disk comes a moment later. */
function showChange({get, patch}: Shown, {after}: PlanChange): void {
  const {data} = get();
  if (data) patch({data: {...data, plan: {type: 'plan', plan: after}}});
}
