import type {PauseReason, RunRecord, Segment} from '../../../services/contracts/run.ts';

/** What a task was doing during a period. */
export const barStates = [
  /** Recorded, but its agent is not released yet. */
  'launching',
  /** Its agent is working; for a parent, its review. */
  'working',
  /** It asked a question. */
  'waiting_answer',
  /** The quota is used up: it continues by itself. */
  'waiting_limit',
  /** The provider cannot be reached or is silent: it continues by itself. */
  'waiting_outage',
  /** Blackbird runs its checks. */
  'verifying',
  /** The user has to decide on its change. */
  'checkpoint',
  'paused',
] as const;
export type BarState = (typeof barStates)[number];

/** One period of one run. Times are ISO; `to` is its end, or the end of the chart. */
export type Bar = {
  readonly run_id: string;
  readonly state: BarState;
  readonly from: string;
  readonly to: string;
  /** It had not ended by then. */
  readonly is_open: boolean;
  /** More than the state: why it is paused, which check runs. Untrusted text. */
  readonly text: string;
};

/** A job that ends at a limit did not wait for it: anything shorter than a second is not a wait. */
export const isWaitOf =
  (state: 'waiting_limit' | 'waiting_outage') =>
  (bar: Pick<Bar, 'state' | 'from' | 'to'>): boolean =>
    bar.state === state && Date.parse(bar.to) - Date.parse(bar.from) >= 1000;

/** What a run is drawn with besides its record. */
export type BarLimits = {
  /** Nothing of the run is drawn after this: its task started another run, or the chart ends. */
  readonly until: string;
  /** Whether its agent may be running now. */
  readonly isLive: boolean;
  /** When Blackbirds died that may have been working on it. */
  readonly crashes: readonly string[];
  /** When the run's job ended, after which it waits for nothing; null if it is running or unknown. */
  readonly jobEnd?: string | null;
  /** When the jobs of the chart worked, oldest first: in between, nothing was waited for. */
  readonly jobs?: readonly Span[];
};

type Span = {readonly from: string; readonly to: string};

type Stretch = Omit<Bar, 'run_id' | 'to'> & {readonly to: string | null};

/** Everything a run did and waited for, in order. What its record does not tell is left empty. */
export function barsOf(run: RunRecord, limits: BarLimits): Bar[] {
  const bars: Bar[] = [];
  const add = (state: BarState, from: string, end: string | null, text = '') => {
    const to = earlierOf(end ?? limits.until, limits.until);
    if (isBefore(to, from)) return;
    const isOpen = end === null || isBefore(limits.until, end);
    bars.push({run_id: run.run_id, state, from, to, is_open: isOpen, text});
  };
  let last: {state: BarState; to: string} | null = null;
  for (const {state, from, to, text} of stretchesOf(run, limits)) {
    const before = last?.to ?? run.created_at;
    const start = laterTime(from, before);
    const gap = gapState(last?.state, state);
    if (gap !== null && isBefore(before, start)) add(gap, before, start);
    add(state, start, to === null ? null : laterTime(to, start), text);
    last = {state, to: to === null ? limits.until : laterTime(to, start)};
  }
  if (run.state === 'running' && run.phase === 'launching')
    add('launching', last?.to ?? run.created_at, null);
  if (run.state === 'waiting' && last) add('waiting_answer', last.to, null, questionsIn(run));
  return bars;
}

/** Fills a gap in the record: two agents without a pause between them means a question. */
function gapState(before: BarState | undefined, next: BarState): BarState | null {
  if (before === undefined) return 'launching';
  if (next !== 'working') return null;
  return before === 'working' ? 'waiting_answer' : 'launching';
}

function stretchesOf(run: RunRecord, limits: BarLimits): Stretch[] {
  const agents = run.segments.filter((segment) => !isRefusedBy(run, segment));
  const working = agents.map((segment, place): Stretch => {
    const isLast = place === agents.length - 1;
    const isOpen = isLast && run.state === 'running' && limits.isLive && run.phase !== 'launching';
    const to = segment.ended_at ?? (isOpen ? null : lastSign(run, segment, limits));
    return {state: 'working', from: segment.started_at, to, is_open: isOpen, text: ''};
  });
  return [...working, ...checksOf(run, limits), ...restsOf(run, limits), ...checkpointsOf(run)].sort(
    (one, other) => Date.parse(one.from) - Date.parse(other.from),
  );
}

/** The agent refused to continue, so the run was paused all the time. */
function isRefusedBy({refusals = [], pauses = []}: RunRecord, {started_at, ended_at}: Segment): boolean {
  if (ended_at === undefined) return false;
  return (
    refusals.some(({refused_at}) => refused_at === ended_at) ||
    pauses.some(
      ({paused_at, resumed_at}) =>
        isBefore(paused_at, started_at) && (resumed_at === undefined || isBefore(ended_at, resumed_at)),
    )
  );
}

function checksOf({verifications = [], check, state}: RunRecord, {isLive}: BarLimits): Stretch[] {
  const made = verifications.map(({command, started_at, seconds}): Stretch => {
    const to = new Date(Date.parse(started_at) + seconds * 1000).toISOString();
    return {state: 'verifying', from: started_at, to, is_open: false, text: command};
  });
  // After a crash only the start of the check is known.
  if (check === undefined || state !== 'running') return made;
  const to = isLive ? null : check.started_at;
  return [...made, {state: 'verifying', from: check.started_at, to, is_open: isLive, text: check.command}];
}

function restsOf(run: RunRecord, limits: BarLimits): Stretch[] {
  const {state, paused_at, pause_reason = 'user_interrupt'} = run;
  // Records of earlier versions have the last pause only.
  const old = state === 'paused' && paused_at !== undefined ? [{paused_at, pause_reason}] : [];
  return (run.pauses ?? old).flatMap((pause) => {
    const {resumed_at = null} = pause as {resumed_at?: string};
    const from =
      pause.pause_reason === 'process_lost' ? lostAt(run, pause.paused_at, limits) : pause.paused_at;
    const text = pause.pause_reason.replaceAll('_', ' ');
    const state = restState[pause.pause_reason];
    const rest = {state, from, is_open: resumed_at === null, text};
    if (resumed_at === null) return [{...rest, to: state === 'paused' ? null : (limits.jobEnd ?? null)}];
    const idle = state === 'paused' ? null : idleIn({from, to: resumed_at}, limits.jobs ?? []);
    if (idle === null) return [{...rest, to: resumed_at}];
    return [
      {...rest, to: idle.from},
      {...rest, ...idle, state: 'paused' as const},
      {...rest, from: idle.to, to: resumed_at},
    ].filter((piece) => isBefore(piece.from, piece.to));
  });
}

/** The part of a wait in which no job waited: the one it began in had ended, and the next had not begun. */
function idleIn({from, to}: Span, jobs: readonly Span[]): Span | null {
  const [first, last] = [from, to].map((time) => jobs.findLast((job) => !isBefore(time, job.from)));
  if (first === undefined || last === undefined || first === last) return null;
  return {from: laterTime(first.to, from), to: last.from};
}

const restState = {
  user_interrupt: 'paused',
  terminated: 'paused',
  process_lost: 'paused',
  usage_limit: 'waiting_limit',
  provider_unavailable: 'waiting_outage',
  stalled: 'waiting_outage',
  login_required: 'paused',
  billing: 'paused',
  context_full: 'paused',
  budget: 'paused',
  unknown_model: 'paused',
} as const satisfies Record<PauseReason, BarState>;

/** Decided, withdrawn, decided again: each time is a checkpoint of its own. */
function checkpointsOf(run: RunRecord): Stretch[] {
  const {decision_requested_at: asked, decision_resolved_at, decision_state, decision_history = []} = run;
  if (asked === undefined) return [];
  const resolved = decision_state === 'pending' ? undefined : decision_resolved_at;
  const begins = [asked, ...decision_history.map(({withdrawn_at}) => withdrawn_at)];
  const ends = [...decision_history.map((each) => each.decision_resolved_at), resolved];
  return begins.map((from, place) => {
    const to = ends[place] ?? null;
    return {state: 'checkpoint', from, to, is_open: to === null, text: ''};
  });
}

/**
 * When a Blackbird died during a run that was found lost later: its last sign of life, and never after it was found.
 */
function lostAt(run: RunRecord, foundAt: string, {crashes}: Pick<BarLimits, 'crashes'>): string {
  const begun = run.segments.findLast(({started_at}) => !isBefore(foundAt, started_at))?.started_at;
  const crash = crashes.findLast((at) => !isBefore(foundAt, at));
  return crash === undefined ? foundAt : laterTime(crash, begun ?? crash);
}

/** An agent whose end nobody saw. */
function lastSign(run: RunRecord, {started_at}: Segment, limits: BarLimits): string {
  const pause = run.pauses?.find((each) => !isBefore(each.paused_at, started_at));
  if (pause?.pause_reason === 'process_lost') return lostAt(run, pause.paused_at, limits);
  const crash = limits.crashes.find((at) => !isBefore(at, started_at));
  return pause?.paused_at ?? crash ?? laterTime(run.updated_at, started_at);
}

export const questionsIn = ({questions = []}: RunRecord): string =>
  questions.map(({prompt}) => prompt).join(' · ');

const isBefore = (one: string, other: string) => Date.parse(one) < Date.parse(other);
const laterTime = (one: string, other: string) => (isBefore(one, other) ? other : one);
const earlierOf = (one: string, other: string) => (isBefore(other, one) ? other : one);
