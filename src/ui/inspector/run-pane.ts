import type {RunFacts} from '../../machines/policies/inspect/run-facts.ts';
import type {Visits} from '../../machines/policies/inspect/visits.ts';
import {dollars, duration, tokenWords} from '../../machines/policies/text/durations.ts';
import {addressText, latest, type Subject} from './address.ts';
import {ask, pathOf} from './api.ts';
import {byId, element} from './dom.ts';
import {outcomeWords} from './outcome-mark.ts';

/** Above the machines of a run: its task, its outcome in the words of its record, and what can be done now. */
export class RunPane {
  visits: Visits | null = null;
  #subject: Subject = 'process';
  #jobId: string | null = null;
  #turn = 0;

  show(subject: Subject): void {
    if (JSON.stringify(subject) === JSON.stringify(this.#subject)) return;
    this.#subject = subject;
    byId('run').hidden = true;
    this.refresh();
  }

  refresh(): void {
    const subject = this.#subject;
    this.#turn++;
    if (subject !== 'process') void this.#load(subject);
    else {
      byId('run').hidden = true;
      this.visits = null;
    }
  }

  async #load({taskId, runId}: Exclude<Subject, 'process'>): Promise<void> {
    const turn = this.#turn;
    // The server may be gone: keep what is shown.
    const facts = await ask<RunFacts>(`runs/${pathOf(taskId, runId)}`).catch(() => null);
    if (turn !== this.#turn || facts === null) return;
    drawRun(facts);
    if (facts.job_id === this.#jobId) return;
    this.#jobId = facts.job_id;
    this.visits = null;
    if (facts.job_id === null) return;
    const visits = await ask<Visits>(`jobs/${pathOf(facts.job_id)}/visits`).catch(() => null);
    if (facts.job_id === this.#jobId) this.visits = visits;
  }
}

function drawRun(facts: RunFacts): void {
  const {task_id, title, run_id, agent, model, outcome, failure, questions, next, runs, job_id} = facts;
  // Back to the job that was open before; else to the one it belongs to.
  if (!byId('job-link').dataset.seen)
    byId('job-link').setAttribute('href', addressText({view: 'job', jobId: job_id ?? 'newest'}));
  const worked = duration(Date.parse(facts.to) - Date.parse(facts.from));
  const told = [
    [agent, model].filter(Boolean).join(' '),
    worked,
    ...(facts.tokens === null ? [] : [tokenWords(facts.tokens)]),
    ...(facts.cost_usd === null ? [] : [dollars(facts.cost_usd)]),
  ].join(' · ');
  const others = runs.map((run) =>
    element(
      'a',
      {
        href: addressText({
          view: 'machines',
          subject: {taskId: task_id, runId: run.run_id},
          moment: latest,
          only: false,
        }),
        'aria-current': run.run_id === run_id ? 'page' : undefined,
        title: `${run.run_id}: ${run.outcome.word}`,
      },
      `run ${run.attempt}`,
    ),
  );
  const place = byId('run');
  place.hidden = false;
  place.replaceChildren(
    element(
      'p',
      {class: 'run-line'},
      element('strong', {}, task_id),
      ` ${title} `,
      outcomeWords(outcome),
      element('span', {class: 'quiet'}, ` ${told} `),
      ...(others.length > 1 ? [element('span', {class: 'runs'}, ...others)] : []),
    ),
    ...(failure === null ? [] : [element('p', {class: `said ${outcome.kind}`}, failure)]),
    ...questions.map((question) => element('p', {class: 'said waiting'}, `asks: ${question}`)),
    ...(next.length === 0
      ? []
      : [
          element(
            'p',
            {class: 'commands'},
            ...next.flatMap(({command, why = ''}) => [element('code', {title: why}, command), ' ']),
          ),
        ]),
  );
}
