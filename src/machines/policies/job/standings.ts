/**
 * What is needed once a job is over, and what follows from it. Where a job leaves several, what stands further
 * down decides: time, then who is needed, then what failed. A pause of yours says itself.
 */
export const standings = {
  done: {callsPerson: false, tone: 'good'},
  timeNeeded: {callsPerson: true, tone: 'warning'},
  personNeeded: {callsPerson: true, tone: 'warning'},
  failed: {callsPerson: true, tone: 'bad'},
  /** Who paused it, or asked for what could not begin, knows. */
  paused: {callsPerson: false, tone: 'warning'},
} as const satisfies Readonly<Record<string, Meaning>>;

type Meaning = {
  /** Nothing goes on by itself: the person is called where they asked for it. */
  readonly callsPerson: boolean;
  /** On a screen. */
  readonly tone: 'good' | 'bad' | 'warning';
};

export type Standing = keyof typeof standings;

const names = Object.keys(standings) as Standing[];

export const decisive = (first: Standing, ...others: readonly Standing[]): Standing =>
  names.findLast((name) => name === first || others.includes(name)) ?? first;
