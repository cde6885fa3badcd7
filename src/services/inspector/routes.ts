import type {Inspected, InspectedProject, RowQuery} from '../contracts/inspector.ts';
import type {InspectionSource} from '../contracts/journal.ts';

/** What a path stands for: data, a stream of entries, or not found; null if it may be a file of the page. */
export type Route =
  | {readonly type: 'data'; readonly data: unknown}
  | {readonly type: 'stream'; readonly source: InspectionSource}
  | {readonly type: 'missing'}
  | null;

const missing: Route = {type: 'missing'};

export async function routeTo(
  {facts, source, project}: Inspected,
  path: string,
  query: URLSearchParams,
): Promise<Route> {
  if (path === 'facts') return {type: 'data', data: facts()};
  if (path === 'entries') return source ? {type: 'stream', source} : missing;
  const parts = partsOf(path);
  if (parts === null) return missing;
  const [room, ...rest] = parts;
  if (room !== 'jobs' && room !== 'runs') return null;
  if (project === null) return missing;
  return room === 'jobs' ? jobRoute(project, rest, query) : runRoute(project, rest);
}

async function jobRoute(
  project: InspectedProject,
  [jobId, what, ...more]: readonly string[],
  query: URLSearchParams,
): Promise<Route> {
  if (more.length > 0) return missing;
  if (jobId === undefined) return dataOf(await project.jobs());
  if (what === undefined) return dataOf(await project.job(jobId));
  if (what === 'rows') return dataOf(await project.rows(jobId, rowQuery(query)));
  return what === 'visits' ? dataOf(await project.visits(jobId)) : missing;
}

async function runRoute(
  project: InspectedProject,
  [taskId, runId, what, ...more]: readonly string[],
): Promise<Route> {
  if (taskId === undefined || runId === undefined || more.length > 0) return missing;
  if (what === undefined) return dataOf(await project.run(taskId, runId));
  if (what !== 'entries') return missing;
  const source = await project.journal(taskId, runId);
  return source ? {type: 'stream', source} : missing;
}

const dataOf = (data: unknown): Route => (data === null ? missing : {type: 'data', data});

/** The decoded parts of a path; null if it is malformed. */
function partsOf(path: string): string[] | null {
  try {
    return path.split('/').map(decodeURIComponent);
  } catch {
    return null;
  }
}

const mostRows = 500;
const mostClosed = 500;

/** Never more than a screen or two of rows, whatever is requested. */
function rowQuery(query: URLSearchParams): RowQuery {
  return {
    from: wholeNumber(query.get('from'), Number.MAX_SAFE_INTEGER),
    count: wholeNumber(query.get('count'), mostRows),
    show: query.get('show') ?? 'all',
    find: (query.get('find') ?? '').slice(0, 200),
    closed: query.getAll('closed').slice(0, mostClosed),
  };
}

function wholeNumber(text: string | null, most: number): number {
  return text !== null && /^\d{1,15}$/.test(text) ? Math.min(Number(text), most) : 0;
}
