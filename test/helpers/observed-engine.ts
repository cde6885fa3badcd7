import {createEngine, type Engine} from '../../src/machines/engine.ts';
import {createObserver} from '../../src/machines/observe.ts';
import type {JournalEntry} from '../../src/services/contracts/journal.ts';
import {createFakeServices, type FakeServices} from '../fakes/services.ts';

export type ObservedEngine = FakeServices & {
  readonly engine: Engine;
  readonly entries: JournalEntry[];
  /** The states of the actors above each task when it started. */
  readonly standing: Map<string, readonly JournalEntry[]>;
};

/** An engine over a project in memory, and everything its observer receives. Its agents succeed at once. */
export function observedEngine(options: Parameters<typeof createFakeServices>[0] = {}): ObservedEngine {
  const fake = createFakeServices(options);
  fake.agents.obeys = {interrupt: true, kill: true};
  fake.agents.play = (agent) => {
    agent.opensSession();
    agent.succeeds('what the agent said last');
  };
  const entries: JournalEntry[] = [];
  const standing = new Map<string, readonly JournalEntry[]>();
  const observer = createObserver({
    now: fake.services.now,
    onEntry: (entry) => {
      entries.push(entry);
      if (entry.machine === 'task' && entry.kind === 'started') {
        standing.set(entry.actor, observer.standing.above(entry.actor));
      }
    },
  });
  return {...fake, engine: createEngine(fake.services, {inspect: observer.inspect}), entries, standing};
}

/** The state of a machine's work, without parallel regions. */
export function stateWord(state: JournalEntry['state']): string {
  if (state === null || typeof state !== 'object') return String(state);
  return stateWord(Object.values(state).at(-1) ?? null);
}
