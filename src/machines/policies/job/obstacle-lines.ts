import {displayLine} from '../text/display-text.ts';
import type {JobSummary} from './job-end.ts';
import type {Obstacle} from './obstacles.ts';
import {decisive} from './standings.ts';

/** The maximum number to name; the others are counted. */
const most = 10;

const standingFor = {retry: 'failed', person: 'personNeeded', time: 'timeNeeded'} as const;

/** Adds everything that keeps the plan from being done. `told`: tasks already mentioned. */
export function withObstacles(
  summary: JobSummary,
  obstacles: readonly Obstacle[],
  told: ReadonlySet<string>,
): JobSummary {
  if (obstacles.length === 0 || summary.standing === 'paused') return summary;
  const standing = decisive(summary.standing, ...new Set(obstacles.map(({needs}) => standingFor[needs])));
  const times = obstacles.flatMap(({retryAt}) => retryAt ?? []).sort();
  const retryAt = summary.retryAt ?? times[0];
  return {
    ...summary,
    standing,
    obstacles,
    ...(standing === 'timeNeeded' && retryAt !== undefined && {retryAt}),
    lines: [...summary.lines, ...obstacleLines(obstacles.filter((each) => !isTold(each, told)))],
  };
}

/** If a task was mentioned, what waits for it is clear. */
const isTold = ({taskId, waitsFor = []}: Obstacle, told: ReadonlySet<string>): boolean =>
  told.has(taskId) || (waitsFor.length > 0 && waitsFor.every((id) => told.has(id)));

function obstacleLines(obstacles: readonly Obstacle[]): string[] {
  if (obstacles.length === 0) return [];
  const rows = obstacles
    .slice(0, most)
    .map(({taskId, why, command}) => [displayLine(taskId), displayLine(why), displayLine(command ?? '')]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const more = obstacles.length - most;
  return [
    'still in the way:',
    ...rows.map((row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    ),
    ...(more > 0 ? [`  and ${more} more: blackbird list`] : []),
  ];
}
