import type {InspectorFacts} from '../../services/contracts/inspector.ts';
import {type Address, addressText, latest, newestJob, parseAddress} from './address.ts';
import {byId} from './dom.ts';
import {download, standaloneSvg} from './download.ts';
import {JobView} from './job-view.ts';
import {followKeys, type Key} from './keys.ts';
import type {MachinesView} from './machines-view.ts';
import {followSplitters} from './splitters.ts';
import type {Connection} from './stream.ts';
import {followTheme} from './theme.ts';

const response = await fetch('facts');
const facts: InspectorFacts = await response.json();
document.title = `${facts.title} · Blackbird inspector`;
byId('title').textContent = facts.title;
byId('notices').textContent = facts.notices.join(' · ');
byId('process-link').hidden = !facts.has_process;

/** Whether more will come, each worded differently: it continues, it is over, it died, or the server is gone. */
function showConnection(connection: Connection, saidGoodbye: boolean): void {
  const words = {
    connecting: 'connecting',
    live: 'live',
    ended: 'ended',
    lost: 'lost: its Blackbird died',
    gone: saidGoodbye
      ? 'ended: what was loaded stays here. Everything: blackbird inspect'
      : 'lost: the program does not answer. What was loaded stays here. Everything: blackbird inspect',
  } satisfies Record<Connection, string>;
  const shown = byId('connection');
  shown.textContent = words[connection];
  shown.dataset.state = connection === 'gone' ? (saidGoodbye ? 'ended' : 'lost') : connection;
}

let view: Address['view'] = 'job';
/** Only for what is shown: the stream of a run stays open while its job is shown. */
const showConnectionOf =
  (shown: Address['view']) =>
  (...news: Parameters<typeof showConnection>): void => {
    if (view === shown) showConnection(...news);
  };

const job = new JobView(showConnectionOf('job'));
/** Includes every chart and the replay code: loaded on first use. */
let machines: MachinesView | null = null;
async function loadMachines(): Promise<MachinesView | null> {
  // The server may be gone by now.
  const loaded = await import('./machines-view.ts').catch(() => null);
  if (loaded) machines ??= new loaded.MachinesView(showConnectionOf('machines'));
  return machines;
}
/** For actions that need it to be loaded. */
const on = (act: (shown: MachinesView) => void) => () => {
  if (machines) act(machines);
};

function firstAddress(): Address {
  if (facts.opens === 'job') return {view: 'job', jobId: facts.job_id ?? newestJob};
  if (facts.opens === 'machines') return {view: 'machines', subject: 'process', moment: latest, only: false};
  const {task_id: taskId, run_id: runId} = facts.opens;
  return {view: 'machines', subject: {taskId, runId}, moment: latest, only: false};
}

function go(): void {
  const address = parseAddress(location.hash) ?? firstAddress();
  view = address.view;
  byId('job').hidden = view !== 'job';
  byId('machines').hidden = view !== 'machines';
  byId('job-link').hidden = facts.opens === 'machines';
  byId('job-link').toggleAttribute('aria-current', view === 'job');
  if (address.view === 'job') {
    byId('job-link').setAttribute('href', addressText(address));
    byId('job-link').dataset.seen = 'yes';
    job.open(address.jobId);
  } else {
    job.close();
    void openMachines(address);
  }
}

async function openMachines(address: Extract<Address, {view: 'machines'}>): Promise<void> {
  const shown = await loadMachines();
  if (shown === null) showConnection('gone', false);
  else if (view === 'machines') shown.open(address);
}

const saveJson = on(({recording}) =>
  download('events.json', 'application/json', JSON.stringify(recording.entries, null, 2)),
);
const saveJob = () => download('job.json', 'application/json', JSON.stringify(job.page, null, 2));
const saveSvg = on(({chart: {shown}}) => {
  if (shown) download(`${shown.chart.id}.svg`, 'image/svg+xml', standaloneSvg(shown.drawing, shown.size));
});
async function copyLink(): Promise<void> {
  // Without clipboard permission, the address bar still has it.
  const isCopied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  byId('announcer').textContent = isCopied
    ? 'A link to this moment was copied.'
    : 'The link to this moment is in the address bar.';
  const button = byId('copy-link');
  button.textContent = isCopied ? 'Copied' : 'See address';
  setTimeout(() => {
    button.textContent = 'Link';
  }, 2_000);
}

const actions: Readonly<Record<string, () => void>> = {
  first: on((shown) => shown.first()),
  back: on((shown) => shown.step(-1)),
  forward: on((shown) => shown.step(1)),
  latest: on((shown) => shown.follow()),
  follow: on((shown) => shown.toggleFollow()),
  only: on((shown) => shown.toggleOnly()),
  smaller: on(({chart}) => chart.zoom(1 / 1.2)),
  larger: on(({chart}) => chart.zoom(1.2)),
  near: on(({chart}) => chart.fit('near')),
  fit: on(({chart}) => chart.fit('whole')),
  visits: on(({chart}) => chart.toggleVisits()),
  'save-svg': saveSvg,
  'save-json': saveJson,
  'job-json': saveJob,
  'copy-link': () => void copyLink(),
  'time-smaller': () => job.zoom(1 / 1.5),
  'time-larger': () => job.zoom(1.5),
  'time-fit': () => job.fit(),
  'show-keys': () => byId<HTMLDialogElement>('keys').showModal(),
};
for (const [id, act] of Object.entries(actions)) byId(id).addEventListener('click', act);

const onChart = () => byId('chart').contains(document.activeElement);
const either = (machine: () => void, jobs: () => void) => () => (view === 'machines' ? machine() : jobs());
const stepOrPan = (by: 1 | -1) => on((shown) => (onChart() ? shown.chart.pan(by, 0) : shown.step(by)));

const keys: readonly Key[] = [
  {keys: ['ArrowLeft'], words: 'one event back; on the chart: move it', view: 'machines', act: stepOrPan(-1)},
  {keys: ['ArrowRight'], words: 'one event on; on the chart: move it', view: 'machines', act: stepOrPan(1)},
  {
    keys: ['shift+ArrowLeft'],
    words: 'back within the actor',
    view: 'machines',
    act: on((shown) => shown.stepWithinActor(-1)),
  },
  {
    keys: ['shift+ArrowRight'],
    words: 'on within the actor',
    view: 'machines',
    act: on((shown) => shown.stepWithinActor(1)),
  },
  {keys: ['Home'], words: 'the first event', view: 'machines', act: on((shown) => shown.first())},
  {keys: ['End'], words: 'the latest event', view: 'machines', act: on((shown) => shown.follow())},
  {keys: ['ArrowUp'], words: 'move the chart up', view: 'machines', act: on(({chart}) => chart.pan(0, -1))},
  {
    keys: ['ArrowDown'],
    words: 'move the chart down',
    view: 'machines',
    act: on(({chart}) => chart.pan(0, 1)),
  },
  {keys: ['n'], words: 'the next state of the chart', view: 'machines', act: on(({chart}) => chart.step(1))},
  {keys: ['b'], words: 'the state before', view: 'machines', act: on(({chart}) => chart.step(-1))},
  {keys: ['f'], words: 'follow what happens', view: 'machines', act: on((shown) => shown.toggleFollow())},
  {keys: ['p'], words: 'only this actor', view: 'machines', act: on((shown) => shown.toggleOnly())},
  {keys: ['v'], words: 'visits of each state', view: 'machines', act: on(({chart}) => chart.toggleVisits())},
  {
    keys: ['s'],
    words: 'slider by time or by event',
    view: 'machines',
    act: on((shown) => shown.toggleTime()),
  },
  {keys: ['c'], words: 'copy a link to this moment', view: 'machines', act: () => void copyLink()},
  {
    keys: ['1'],
    words: 'what is active, and around it',
    view: 'machines',
    act: on(({chart}) => chart.fit('near')),
  },
  {
    keys: ['0'],
    words: 'everything',
    view: 'both',
    act: either(
      on(({chart}) => chart.fit('whole')),
      () => job.fit(),
    ),
  },
  {
    keys: ['+', '='],
    words: 'larger',
    view: 'both',
    act: either(
      on(({chart}) => chart.zoom(1.2)),
      () => job.zoom(1.5),
    ),
  },
  {
    keys: ['-'],
    words: 'smaller',
    view: 'both',
    act: either(
      on(({chart}) => chart.zoom(1 / 1.2)),
      () => job.zoom(1 / 1.5),
    ),
  },
  {keys: ['shift+ArrowLeft'], words: 'earlier', view: 'job', act: () => job.pan(-0.2)},
  {keys: ['shift+ArrowRight'], words: 'later', view: 'job', act: () => job.pan(0.2)},
  {
    keys: ['ArrowUp', 'ArrowDown'],
    words: 'from row to row, once one has the focus',
    view: 'job',
    act: () => byId('rows').querySelector<HTMLElement>('[data-main]')?.focus(),
  },
  {keys: ['/'], words: 'find', view: 'both', act: () => byId(view === 'job' ? 'find-task' : 'find').focus()},
  {keys: ['j'], words: 'to the job', view: 'both', act: () => byId('job-link').click()},
  {keys: ['t'], words: 'light or dark', view: 'both', act: () => byId('theme').click()},
  {keys: ['?'], words: 'these keys', view: 'both', act: () => byId<HTMLDialogElement>('keys').showModal()},
];
followKeys(keys, () => view);
followTheme(byId('theme'));
followSplitters();

const find = byId<HTMLInputElement>('find');
find.addEventListener(
  'input',
  on((shown) => shown.filter({find: find.value})),
);
const kind = byId<HTMLSelectElement>('kind');
kind.addEventListener(
  'change',
  on((shown) => shown.filter({kind: kind.value})),
);
const tabs = [...document.querySelectorAll<HTMLElement>('[role="tab"]')];
const choose = (tab: HTMLElement) => {
  for (const each of tabs) {
    each.setAttribute('aria-selected', String(each === tab));
    each.tabIndex = each === tab ? 0 : -1;
    byId(each.getAttribute('aria-controls') ?? '').hidden = each !== tab;
  }
};
tabs.forEach((tab, index) => {
  tab.addEventListener('click', () => choose(tab));
  tab.addEventListener('keydown', ({key}) => {
    const by = {ArrowLeft: -1, ArrowRight: 1}[key];
    const next = by === undefined ? undefined : tabs[(index + by + tabs.length) % tabs.length];
    if (!next) return;
    choose(next);
    next.focus();
  });
});
// They scroll or pan, so they must be focusable.
for (const id of ['chart', 'context', 'event', 'next']) byId(id).tabIndex = 0;
addEventListener('hashchange', go);
go();
