import type {JobList, JobPage, Notable} from '../../machines/policies/inspect/job-page.ts';
import {outcomeSymbols} from '../../machines/policies/inspect/outcomes.ts';
import {clockTime, dollars, duration, localTime, tokenCount} from '../../machines/policies/text/durations.ts';
import {addressText} from './address.ts';
import {byId, element} from './dom.ts';
import {outcomeMark, outcomeWords} from './outcome-mark.ts';

/** Who worked, how long, the cost, and how it ended. */
export function drawHeader(page: JobPage): void {
  const {project, job, outcome, from, to, is_live, totals, done, total} = page;
  const elapsed = Date.parse(to) - Date.parse(from);
  byId('project').textContent = project;
  // About the job, not the plan: a job of one task may be done while the plan is not.
  const whose = element('span', {class: 'whose'}, page.jobs > 1 ? 'Last job: ' : 'This job: ');
  byId('job-outcome').replaceChildren(whose, outcomeWords(outcome));
  byId('job-outcome').className = `headline ${outcome.kind}`;
  byId('job-message').textContent = job.message;
  byId('job-notices').replaceChildren(...page.notices.map((notice) => element('li', {}, notice)));
  byId('job-notices').hidden = page.notices.length === 0;
  const waits = [
    ...(totals.limits.count === 0 ? [] : [`limits ${duration(totals.limits.milliseconds)}`]),
    ...(totals.outages.count === 0 ? [] : [`outages ${duration(totals.outages.milliseconds)}`]),
  ];
  const facts: ReadonlyArray<readonly [string, string]> = [
    ['agent', job.agent],
    ...(page.jobs > 1 ? [['jobs', `${page.jobs} in a row`] as const] : []),
    ['started', dayAndTime(from)],
    [is_live ? 'running for' : 'took', is_live ? clockTime(elapsed) : duration(elapsed)],
    ['worked', duration(totals.work_milliseconds)],
    ...waits.map((wait) => ['waited', wait] as const),
    ['tokens', totals.tokens === null ? '–' : tokenCount(totals.tokens)],
    ['cost', totals.cost_usd === null ? '–' : dollars(totals.cost_usd)],
    ['plan', `${done} of ${total} done`],
  ];
  byId('job-facts').replaceChildren(
    ...facts.map(([name, value]) => element('div', {}, element('dt', {}, name), element('dd', {}, value))),
  );
  byId('counts').replaceChildren(
    ...Object.entries(page.counts).map(([kind, count]) =>
      element(
        'li',
        {},
        outcomeMark({kind: kind as keyof typeof outcomeSymbols, word: kind}),
        ` ${count} ${kind}`,
      ),
    ),
  );
}

const dayAndTime = (time: string): string => {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${localTime(time)}`;
};

let drawn = '';

/** What the user should see first after being away; each links to its machines at that moment. */
export function drawNotable({notable, notable_total}: JobPage): void {
  const key = JSON.stringify(notable);
  if (key === drawn) return;
  drawn = key;
  byId('notable-section').hidden = notable.length === 0;
  byId('notable').replaceChildren(
    ...notable.map((each) => element('li', {}, notableLink(each))),
    ...(notable_total > notable.length
      ? [element('li', {class: 'quiet'}, `${notable_total - notable.length} more, see the rows`)]
      : []),
  );
}

function notableLink(notable: Notable): HTMLElement {
  const {kind, word, task_id, run_id, at, text, is_open, title} = notable;
  const moment = {type: 'time', at, isMark: true} as const;
  const subject = {taskId: task_id, runId: run_id};
  return element(
    'a',
    {
      class: `notable ${kind}${is_open ? ' open' : ''}`,
      href: addressText({view: 'machines', subject, moment, only: false}),
      title: `${task_id} ${title}`,
    },
    outcomeMark(notable),
    element('strong', {}, task_id),
    element('span', {class: 'word'}, is_open ? word : `${word} ${localTime(at)}`),
    element('span', {class: 'text'}, text),
  );
}

export function drawJobChoice(list: JobList | null, chosen: string): void {
  const {jobs = [], broken = []} = list ?? {};
  const choice = byId<HTMLSelectElement>('job-choice');
  choice.replaceChildren(
    ...jobs.map(({job_id, from, outcome, agent}) =>
      element(
        'option',
        {value: job_id, selected: job_id === chosen},
        `${dayAndTime(from)} ${outcomeSymbols[outcome.kind]} ${outcome.word}, ${agent}`,
      ),
    ),
    ...broken.map(({job_id, reason}) =>
      element('option', {value: job_id, disabled: true, title: reason}, `${job_id} cannot be read`),
    ),
  );
}
