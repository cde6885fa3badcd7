import {element} from './dom.ts';
import {stateName} from './event-name.ts';
import {outcomeMark} from './outcome-mark.ts';
import {type ActorView, shownActors} from './recording.ts';

/** The actors as nested lists of buttons, each with its state and outcome. */
export function drawActors(
  all: readonly ActorView[],
  shown: string | null,
  onChoose: (key: string) => void,
): HTMLElement {
  const {views, hidden} = shownActors(all, shown);
  const list = element('ul', {class: 'actors'});
  const open: Array<{depth: number; list: HTMLElement}> = [{depth: -1, list}];
  let session = 0;
  const severalSessions = new Set(views.map((view) => view.session)).size > 1;
  for (const view of views) {
    if (view.session !== session && severalSessions) {
      session = view.session;
      list.append(element('li', {class: 'process'}, `process ${session}`));
      open.length = 1;
    }
    while ((open.at(-1)?.depth ?? -1) >= view.depth) open.pop();
    const item = element('li', {}, actorButton(view, view.key === shown, onChoose));
    (open.at(-1) ?? {list}).list.append(item);
    const below = element('ul');
    item.append(below);
    open.push({depth: view.depth, list: below});
  }
  for (const empty of list.querySelectorAll('ul:empty')) empty.remove();
  if (hidden > 0) list.append(element('li', {class: 'process'}, `${hidden} more ended earlier`));
  return list;
}

function actorButton(view: ActorView, isShown: boolean, onChoose: (key: string) => void): HTMLButtonElement {
  const button = element(
    'button',
    {
      type: 'button',
      class: `actor ${view.outcome.kind}`,
      'aria-current': isShown ? 'true' : undefined,
      'data-actor': view.key,
      title: `${view.entry.actor}: ${actorWords(view)}`,
    },
    outcomeMark(view.outcome),
    element('span', {class: 'name'}, view.name),
    element('span', {class: 'where'}, actorWords(view)),
  );
  button.addEventListener('click', () => onChoose(view.key));
  return button;
}

/** Its current state; for one that has ended, its final state and outcome. */
export function actorWords({task, entry, outcome}: Pick<ActorView, 'task' | 'entry' | 'outcome'>): string {
  const state = stateName(entry.state);
  const isTold = outcome.word === state || outcome.word === 'working';
  return [task, state, isTold ? '' : outcome.word].filter((part) => part !== '').join(' · ');
}
