import type {JobPage} from '../../machines/policies/inspect/job-page.ts';
import {duration} from '../../machines/policies/text/durations.ts';
import {byId, element} from './dom.ts';
import {type LaneScale, ticksOf} from './job-scale.ts';

/** The time axis above the lanes; a long rest is compressed and labelled with its length. */
export function drawAxis(page: JobPage, scale: LaneScale): void {
  const ticks = ticksOf(page, scale, 90);
  const isShort = (ticks[1]?.time ?? 0) - (ticks[0]?.time ?? 0) < 60_000;
  byId('axis').replaceChildren(
    ...page.folds.flatMap((fold) => {
      const [left, right] = [scale.at(fold.from), scale.at(fold.to)];
      if (right < 0 || left > scale.width) return [];
      const words = duration(Date.parse(fold.to) - Date.parse(fold.from));
      const mark = element('span', {class: 'fold', title: `nothing ran for ${words}`}, `⋯ ${words}`);
      mark.style.left = `${left}px`;
      mark.style.width = `${right - left}px`;
      return [mark];
    }),
    ...ticks
      .filter(({x}) => x < scale.width - 50)
      .map(({time, x}, index) => {
        const date = new Date(time);
        const isNewDay =
          index === 0 || new Date(ticks[index - 1]?.time ?? 0).toDateString() !== date.toDateString();
        const tick = element('time', {datetime: date.toISOString()}, words(date, isShort, isNewDay));
        tick.style.left = `${x}px`;
        return tick;
      }),
  );
}

function words(date: Date, isShort: boolean, isNewDay: boolean): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(date.getHours())}:${two(date.getMinutes())}${isShort ? `:${two(date.getSeconds())}` : ''}`;
  return isNewDay ? `${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock}` : clock;
}
