import type {InspectorFacts} from '../../services/contracts/inspector.ts';
import {byId} from './dom.ts';
import {InspectorPage} from './inspector-page.ts';
import {type Connection, listen} from './stream.ts';

const response = await fetch('facts');
const facts: InspectorFacts = await response.json();
document.title = `${facts.title} · Blackbird inspector`;
byId('title').textContent = facts.title;
byId('notices').textContent = facts.notices.join(' · ');

const page = new InspectorPage(facts);
const actions: Readonly<Record<string, () => void>> = {
  first: () => page.first(),
  back: () => page.step(-1),
  forward: () => page.step(1),
  latest: () => page.follow(),
  follow: () => page.toggleFollow(),
  pin: () => page.togglePin(),
  smaller: () => page.chart.zoom(1 / 1.2),
  larger: () => page.chart.zoom(1.2),
  fit: () => page.chart.toggleWhole(),
};
for (const [id, act] of Object.entries(actions)) byId(id).addEventListener('click', act);

const keys: Readonly<Record<string, string>> = {
  Home: 'first',
  End: 'latest',
  ArrowLeft: 'back',
  ArrowRight: 'forward',
  f: 'follow',
  p: 'pin',
  '-': 'smaller',
  '+': 'larger',
  '0': 'fit',
};
document.addEventListener('keydown', (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented) return;
  if (event.shiftKey && (event.key === 'ArrowLeft' || event.key === 'ArrowRight')) {
    page.stepWithinActor(event.key === 'ArrowLeft' ? -1 : 1);
  } else {
    const name = keys[event.key];
    if (name === undefined) return;
    actions[name]?.();
  }
  event.preventDefault();
});

const slider = byId<HTMLInputElement>('slider');
slider.addEventListener('input', () => {
  page.follow(false);
  page.travel(Number(slider.value));
});
const only = byId<HTMLInputElement>('only');
only.addEventListener('change', () => page.showOnlyThisActor(only.checked));
// It scrolls, so the keyboard must be able to get there.
byId('chart').tabIndex = 0;
new ResizeObserver(() => void page.chart.draw()).observe(byId('chart'));

const words = {
  connecting: 'connecting',
  live: facts.follows ? 'live' : 'recorded',
  ended: 'ended: what it did stays here',
} satisfies Record<Connection, string>;
listen(
  (entries) => page.add(entries),
  (connection) => {
    const shown = byId('connection');
    shown.textContent = words[connection];
    shown.dataset.state = connection;
  },
);
