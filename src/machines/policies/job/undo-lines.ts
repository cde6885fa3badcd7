import type {UndoPlan} from '../../../services/contracts/changes.ts';
import {shellWord} from '../../../services/contracts/errors.ts';
import type {Plan} from '../../../services/contracts/plan.ts';
import type {UndoOutput} from '../../undo.machine.ts';
import {takenBackTexts} from '../review/effect-words.ts';
import type {UndoProposal} from '../run/undo.ts';
import {counted} from '../text/counted.ts';
import {displayLine, visibleLine} from '../text/display-text.ts';

/** How an undo ended: the state of the task and its files, and how to undo the undo. */
export function undoSummary({proposal, run}: Extract<UndoOutput, {outcome: 'undone'}>, plan: Plan) {
  const {task, isRedo, files} = proposal;
  const status = plan.items.get(task.id)?.status ?? 'todo';
  const count = counted(files.files.length, 'file');
  const verb = isRedo ? 'brought back' : 'undone';
  const forced = proposal.request.isForced
    ? files.conflicts.filter(({path}) => files.files.some((each) => each.path === path)).length
    : 0;
  const byForce = forced === 0 ? '' : `, ${forced} of them by force`;
  const what = files.files.length === 0 ? 'its files were already as before' : `${count} ${verb}${byForce}`;
  const headline = `${displayLine(task.id)} is ${status} again · ${what}`;
  const redo = `Revert this undo with: blackbird undo ${displayLine(shellWord(task.id))} ${displayLine(run.run_id)}`;
  const lines = [headline, ...proposalLines(proposal), ...takenBackTexts(run).map(displayLine), redo];
  return {taskId: task.id, headline, lines, undo: {run_id: run.run_id, ...undoData(proposal)}};
}

/** The same as data. */
export function undoData({undoes, isRedo, files, dependents}: UndoProposal) {
  return {
    undoes: undoes.map(({run_id}) => run_id),
    is_redo: isRedo,
    files: files.files,
    conflicts: files.conflicts.map(({path, reason, isForceable}) => ({
      path,
      reason,
      is_forceable: isForceable,
    })),
    built_on: dependents,
  };
}

export type UndoData = ReturnType<typeof undoSummary>['undo'];

/** What an undo does or would do to the files, and what it leaves alone. */
export function proposalLines({files, dependents, undoes, request}: UndoProposal): string[] {
  const left = request.isForced ? files.conflicts.filter(({isForceable}) => !isForceable) : files.conflicts;
  return [
    ...fileLines(files, request.isForced),
    ...left.map(
      ({path, reason}) =>
        `  ${request.isForced ? 'left' : 'conflict'}  ${displayLine(path)}  ${displayLine(reason)}`,
    ),
    ...(dependents.length === 0 ? [] : [`Built on it: ${dependents.map(displayLine).join(', ')}`]),
    ...commitLines(undoes),
    ...[...ignoredIn(undoes)].map((text) => `Not undone: ${visibleLine(text)}`),
  ];
}

/** An undo changes files only: reverting a commit takes one more commit. */
function commitLines(undoes: UndoProposal['undoes']): string[] {
  const shas = undoes.flatMap(({commit}) => (commit?.sha === undefined ? [] : [commit.sha.slice(0, 7)]));
  const several = shas.length > 1 ? [stays(`Commits ${shas.join(', ')} stay`, 'them')] : [];
  const only = shas.length === 1 ? [stays(`Commit ${shas[0]} stays`, 'it')] : [];
  const isByAgent = undoes.some(({side_effects = []}) => side_effects.some(({kind}) => kind === 'refs'));
  return [...only, ...several, ...(isByAgent ? [stays('Commits that the agent made stay', 'them')] : [])];
}

const stays = (what: string, which: 'it' | 'them'): string =>
  `${what} in the history; to revert ${which} there too, commit the files`;

/** Files that were not recorded are not restored. */
const ignoredIn = (undoes: UndoProposal['undoes']): Set<string> =>
  new Set(
    undoes.flatMap(({side_effects = []}) =>
      side_effects.flatMap(({kind, text}) => (kind === 'ignored_files' ? [text] : [])),
    ),
  );

function fileLines({files, conflicts}: UndoPlan, isForced: boolean): string[] {
  const forced = new Set(isForced ? conflicts.map(({path}) => path) : []);
  return files.map(
    ({path, kind}) => `  ${kind.padEnd(8)}  ${displayLine(path)}${forced.has(path) ? '  (by force)' : ''}`,
  );
}
