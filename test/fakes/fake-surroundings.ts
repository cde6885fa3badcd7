import type {
  NewIgnored,
  RepositoryStanding,
  Surroundings,
  SurroundingsReader,
} from '../../src/services/contracts/side-effects.ts';

export type FakeSurroundings = SurroundingsReader & {
  now: Surroundings;
  ignored: NewIgnored;
  repository: RepositoryStanding | null;
};

/** The surroundings of the files, changed by hand. */
export function createFakeSurroundings(): FakeSurroundings {
  const fake: FakeSurroundings = {
    now: {settings: new Map(), repository: null},
    ignored: {count: 0, names: []},
    repository: {isDetached: false, underWay: null, conflicts: []},
    standing: async () => fake.repository,
    look: async () => fake.now,
    ignoredSince: async () => fake.ignored,
    writerOf: () => null,
    putAside: (names) => new Set(names),
    writtenSince: async () => fake.ignored,
  };
  return fake;
}
