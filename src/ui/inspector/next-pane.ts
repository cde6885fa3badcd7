import type {Chart} from '../../machines/policies/inspect/chart.ts';
import {movesFrom} from '../../machines/policies/inspect/next-moves.ts';
import type {Outcome} from '../../machines/policies/inspect/outcomes.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {activeStates} from './chart-state.ts';
import {byId, element} from './dom.ts';

/** What could happen next to the shown actor, and the command for it. */
export function drawNext(
  chart: Chart,
  entry: InspectedEntry,
  {taskId, outcome}: {readonly taskId: string; readonly outcome: Outcome},
): void {
  const place = byId('next');
  if (entry.status !== 'active') {
    place.replaceChildren(element('p', {class: 'empty'}, `Nothing more: it ended (${outcome.word}).`));
    return;
  }
  const moves = movesFrom(chart, activeStates(chart, entry.state), taskId);
  const list = element('ul', {class: 'moves'});
  for (const {when, to, command} of moves) {
    list.append(
      element(
        'li',
        {},
        element('span', {class: 'when'}, when),
        ...(to === null ? [] : [element('span', {class: 'quiet'}, ' → '), element('strong', {}, to)]),
        ...(command === null ? [] : [element('code', {}, command)]),
      ),
    );
  }
  place.replaceChildren(
    moves.length === 0 ? element('p', {class: 'empty'}, 'Nothing: it stays here.') : list,
  );
}
