/** What the page shows, as the fragment of its URL: every moment has a link. */
export type Address =
  | {readonly view: 'job'; readonly jobId: string}
  | {readonly view: 'machines'; readonly subject: Subject; readonly moment: Moment; readonly only: boolean};

/** Whose machines: those of the process that serves the page, or of one run. */
export type Subject = 'process' | {readonly taskId: string; readonly runId: string};

/** An entry, the last one before a time, or the latest one. */
export type Moment =
  | {readonly type: 'entry'; readonly session: number; readonly seq: number}
  /** `isMark`: something is marked there, and should be shown. */
  | {readonly type: 'time'; readonly at: string; readonly isMark: boolean}
  | {readonly type: 'latest'};

export const latest: Moment = {type: 'latest'};
export const newestJob = 'newest';

export function addressText(address: Address): string {
  if (address.view === 'job') return `#job/${encodeURIComponent(address.jobId)}`;
  const {subject, moment, only} = address;
  const whose =
    subject === 'process'
      ? 'process'
      : `run/${encodeURIComponent(subject.taskId)}/${encodeURIComponent(subject.runId)}`;
  const when = {
    entry: () => (moment.type === 'entry' ? `/${moment.session}.${moment.seq}` : ''),
    time: () =>
      moment.type === 'time' ? `/${moment.isMark ? '!' : '@'}${encodeURIComponent(moment.at)}` : '',
    latest: () => '',
  }[moment.type]();
  return `#${whose}${when}${only ? '/only' : ''}`;
}

/** Null for an address that leads nowhere. */
export function parseAddress(hash: string): Address | null {
  const [room = '', ...parts] = decoded(hash.replace(/^#/, '').split('/'));
  if (room === 'job') return {view: 'job', jobId: parts[0] || newestJob};
  const only = parts.at(-1) === 'only';
  const rest = only ? parts.slice(0, -1) : parts;
  if (room === 'process') return {view: 'machines', subject: 'process', moment: momentOf(rest[0]), only};
  const [taskId, runId, moment] = rest;
  if (room !== 'run' || !taskId || !runId) return null;
  return {view: 'machines', subject: {taskId, runId}, moment: momentOf(moment), only};
}

function momentOf(text: string | undefined): Moment {
  if (text && /^[@!]/.test(text)) return {type: 'time', at: text.slice(1), isMark: text.startsWith('!')};
  const [, session, seq] = /^(\d{1,9})\.(\d{1,9})$/.exec(text ?? '') ?? [];
  return session && seq ? {type: 'entry', session: Number(session), seq: Number(seq)} : latest;
}

function decoded(parts: readonly string[]): string[] {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return [];
  }
}
