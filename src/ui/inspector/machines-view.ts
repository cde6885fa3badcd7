import {machines} from '../../machines/machines.ts';
import {chartOf} from '../../machines/policies/inspect/chart.ts';
import {outcomeOfEntry} from '../../machines/policies/inspect/outcomes.ts';
import {createVisitCounter, type Visits} from '../../machines/policies/inspect/visits.ts';
import type {InspectedEntry} from '../../services/contracts/journal.ts';
import {actorWords, drawActors} from './actor-tree.ts';
import {type Address, addressText, type Moment, type Subject} from './address.ts';
import {pathOf} from './api.ts';
import {ChartPane} from './chart-pane.ts';
import {ContextPane} from './context-pane.ts';
import {byId, replaceKeepingFocus} from './dom.ts';
import {EventList} from './event-list.ts';
import {eventName, stateName} from './event-name.ts';
import {drawNext} from './next-pane.ts';
import {actorKey, Recording} from './recording.ts';
import {RunPane} from './run-pane.ts';
import {type Connection, listen} from './stream.ts';
import {TimeBar} from './time-bar.ts';
import {drawValue, type Folds} from './value-tree.ts';

type MachinesAddress = Extract<Address, {view: 'machines'}>;

/** The machines of a process or a run: the selection, the moment, and everything that shows it. */
export class MachinesView {
  readonly chart = new ChartPane(machines.map(({machine}) => chartOf(machine)));
  readonly #events = new EventList((index) => this.travel(index));
  readonly #times = new TimeBar((index) => this.travel(index));
  readonly #context = new ContextPane();
  readonly #run = new RunPane();
  readonly #folds: Folds = new Map();
  readonly #onConnection: (connection: Connection, saidGoodbye: boolean) => void;
  #subject: Subject = 'process';
  #recording = new Recording();
  #stop: () => void = () => {};
  #connection: readonly [connection: Connection, saidGoodbye: boolean] = ['connecting', false];
  /** The target of an address that was opened before its entries arrived. */
  #wanted: Moment | null = null;
  #position = -1;
  #isFollowing = true;
  /** Only one actor's events are listed and stepped through. */
  #only: string | null = null;
  #isOnlyWanted = false;
  #filter = {find: '', kind: 'all'};
  #visits: {readonly of: readonly InspectedEntry[]; readonly visits: Visits} | null = null;
  #isDrawing = false;

  constructor(onConnection: (connection: Connection, saidGoodbye: boolean) => void) {
    this.#onConnection = onConnection;
  }

  get recording(): Recording {
    return this.#recording;
  }

  open({subject, moment, only}: MachinesAddress): void {
    if (JSON.stringify(subject) !== JSON.stringify(this.#subject) || this.#recording.last < 0) {
      this.#stop();
      this.#recording = new Recording();
      this.#context.forget();
      this.#position = -1;
      this.#only = null;
      this.#connection = ['connecting', false];
      const path =
        subject === 'process' ? 'entries' : `runs/${pathOf(subject.taskId, subject.runId)}/entries`;
      this.#stop = listen(
        path,
        (entries) => this.#add(entries),
        (...news) => this.#connected(...news),
      );
    }
    this.#subject = subject;
    this.#isOnlyWanted = only;
    this.#wanted = moment;
    this.#isFollowing = moment.type === 'latest';
    this.#run.show(subject);
    // The connection state received while the job was shown.
    this.#onConnection(...this.#connection);
    this.#goWhereWanted();
    this.draw();
  }

  travel(index: number): void {
    this.#isFollowing = false;
    this.#goTo(index);
  }

  step(by: 1 | -1): void {
    const key = this.#only;
    this.travel(key === null ? this.#position + by : this.#recording.neighbour(key, this.#position, by));
  }

  /** To the next event of the shown actor. */
  stepWithinActor(by: 1 | -1): void {
    const entry = this.#recording.entries[this.#position];
    if (entry) this.travel(this.#recording.neighbour(actorKey(entry), this.#position, by));
  }

  first(): void {
    this.travel(this.#only === null ? 0 : (this.#recording.indexesOf(this.#only)[0] ?? 0));
  }

  follow(isFollowing = true): void {
    this.#isFollowing = isFollowing;
    this.#goTo(isFollowing ? this.#latest() : this.#position);
  }

  toggleFollow(): void {
    this.follow(!this.#isFollowing);
  }

  toggleOnly(): void {
    const entry = this.#recording.entries[this.#position];
    this.#only = this.#only === null && entry ? actorKey(entry) : null;
    this.draw();
  }

  toggleTime(): void {
    this.#times.toggle();
  }

  filter(filter: Partial<{find: string; kind: string}>): void {
    this.#filter = {...this.#filter, ...filter};
    this.draw();
  }

  /** Shows this actor everywhere, at its last event so far. */
  choose(key: string): void {
    if (this.#only !== null) this.#only = key;
    this.travel(this.#recording.latestOf(key, this.#position));
  }

  /** Draws once per frame, however many entries arrived. */
  draw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      if (!byId('machines').hidden) this.#drawNow();
    });
  }

  #add(entries: readonly InspectedEntry[]): void {
    const {dropped} = this.#recording;
    this.#recording.add(entries);
    this.#position = Math.max(-1, this.#position - (this.#recording.dropped - dropped));
    this.#goWhereWanted();
    if (this.#isFollowing) this.#position = this.#latest();
    this.draw();
  }

  #connected(connection: Connection, saidGoodbye: boolean): void {
    if (connection !== 'connecting') this.#recording.standing = connection === 'gone' ? 'ended' : connection;
    if (connection !== 'connecting' && connection !== 'live') this.#run.refresh();
    this.#connection = [connection, saidGoodbye];
    this.#onConnection(connection, saidGoodbye);
    this.draw();
  }

  #goWhereWanted(): void {
    const [wanted, recording] = [this.#wanted, this.#recording];
    if (wanted === null || recording.last < 0) return;
    const found = {
      latest: () => recording.last,
      time: () => {
        if (wanted.type !== 'time') return -1;
        return wanted.isMark ? recording.markNear(wanted.at) : recording.indexAt(wanted.at);
      },
      entry: () => (wanted.type === 'entry' ? recording.indexOf(wanted.session, wanted.seq) : -1),
    }[wanted.type]();
    this.#wanted = null;
    this.#position = found < 0 ? recording.last : found;
    const entry = recording.entries[this.#position];
    this.#only = this.#isOnlyWanted && entry ? actorKey(entry) : this.#only;
  }

  #latest(): number {
    const {last} = this.#recording;
    return this.#only === null ? last : this.#recording.latestOf(this.#only, last);
  }

  #goTo(index: number): void {
    this.#position = Math.max(0, Math.min(index, this.#recording.last));
    this.#writeAddress();
    this.draw();
  }

  #writeAddress(): void {
    const entry = this.#recording.entries[this.#position];
    const moment: Moment =
      entry && !this.#isFollowing
        ? {type: 'entry', session: entry.session, seq: entry.seq}
        : {type: 'latest'};
    const address = {view: 'machines', subject: this.#subject, moment, only: this.#only !== null} as const;
    history.replaceState(null, '', addressText(address));
  }

  #drawNow(): void {
    const [position, recording] = [this.#position, this.#recording];
    const entry = recording.entries[position];
    const key = entry ? actorKey(entry) : null;
    const actors = recording.actorsAt(position);
    replaceKeepingFocus(
      'actors',
      drawActors(actors, key, (chosen) => this.choose(chosen)),
    );
    this.#events.show(recording, position, {...this.#filter, only: this.#only});
    this.#times.show(recording, position);
    this.#drawButtons();
    byId('event').replaceChildren(drawValue(entry?.event ?? null, this.#folds));
    const shown = actors.find((actor) => actor.key === key);
    if (!entry || !shown || key === null) return;
    byId('chart-heading').textContent = entry.actor;
    byId('current-state').textContent =
      `${actorWords({...shown, task: ''})} — after ${eventName(entry.event.type)}`;
    byId('current-state').className = shown.outcome.kind;
    this.chart.show({entry, outcome: shown.outcome, visits: this.#visitsSoFar()});
    const chart = this.chart.chartOf(entry.machine);
    if (chart) drawNext(chart, entry, {taskId: this.#taskId(shown.task), outcome: shown.outcome});
    const own = recording.indexesOf(key);
    this.#context.show(key, recording.entriesOf(key), own.indexOf(position));
    // While following, only ends and failures are announced, not every step.
    if (!this.#isFollowing || recording.standing !== 'live' || outcomeOfEntry(entry) !== null)
      announce(entry, position, recording.last);
  }

  #taskId(ofActor: string): string {
    return this.#subject === 'process' ? ofActor : this.#subject.taskId;
  }

  #drawButtons(): void {
    const [position, {last}] = [this.#position, this.#recording];
    byId('only').setAttribute('aria-pressed', String(this.#only !== null));
    byId('follow').setAttribute('aria-pressed', String(this.#isFollowing));
    for (const [id, isOff] of [
      ['first', position <= 0],
      ['back', position <= 0],
      ['forward', position >= last],
      ['latest', position >= last],
    ] as const) {
      byId<HTMLButtonElement>(id).disabled = isOff;
    }
  }

  /** For the whole job if known, else for what is shown. */
  #visitsSoFar(): Visits | null {
    const known = this.#run.visits;
    if (known) return known;
    const {entries} = this.#recording;
    if (this.#visits?.of !== entries) {
      const counter = createVisitCounter();
      counter.add(entries);
      this.#visits = {of: entries, visits: counter.visits()};
    }
    return this.#visits.visits;
  }
}

let announced = 0;

/** For screen readers; a rapid series is not read out event by event. */
function announce(entry: InspectedEntry, position: number, last: number): void {
  clearTimeout(announced);
  announced = setTimeout(() => {
    const how = outcomeOfEntry(entry);
    byId('announcer').textContent =
      `Event ${position + 1} of ${last + 1}: ${entry.machine} took ${eventName(entry.event.type)} and is ${stateName(entry.state)}${how ? `: ${how.word}` : ''}`;
  }, 300);
}
