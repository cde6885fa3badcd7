/**
 * What is needed after a job, and what follows from it. If a job leaves several, the later entry wins: time, then a
 * person, then a failure. A requested pause stands on its own.
 */
export const standings = {
  done: {callsPerson: false, tone: 'good'},
  timeNeeded: {callsPerson: true, tone: 'warning'},
  personNeeded: {callsPerson: true, tone: 'warning'},
  failed: {callsPerson: true, tone: 'bad'},
  /** Users who paused it, or asked for something that could not start, already know. */
  paused: {callsPerson: false, tone: 'warning'},
} as const satisfies Readonly<Record<string, Meaning>>;

type Meaning = {
  /** Nothing continues by itself: notify the user if they asked for it. */
  readonly callsPerson: boolean;
  /** The colour on a screen. */
  readonly tone: 'good' | 'bad' | 'warning';
};

export type Standing = keyof typeof standings;

const names = Object.keys(standings) as Standing[];

export const decisive = (first: Standing, ...others: readonly Standing[]): Standing =>
  names.findLast((name) => name === first || others.includes(name)) ?? first;
