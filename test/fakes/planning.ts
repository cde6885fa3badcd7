import {createActor, SimulatedClock, toPromise} from 'xstate';
import type {OpenPlanQuestions, PlanQuestion} from '../../src/machines/actors/plan-draft.actor.ts';
import type {PlanCommand, PlanGenerationInput} from '../../src/machines/plan-generation.machine.ts';
import {providePlanning} from '../../src/machines/planning.ts';
import type {PlanRequest} from '../../src/machines/policies/planning/plan-draft.ts';
import {runMachine} from '../../src/machines/run.machine.ts';
import type {Plan} from '../../src/services/contracts/plan.ts';
import type {RunRecord} from '../../src/services/contracts/run.ts';
import {now, planOf} from '../helpers/plans.ts';
import {defineEffects} from './machines.ts';
import {createFakeServices, settle} from './services.ts';

export const hour = 3_600_000;
export const wish = {kind: 'generate', text: 'A shop', taskIds: []} as const;
export const input: PlanGenerationInput = {
  request: {type: 'new', wish},
  provider: 'claude',
  explicitProvider: null,
  graceMilliseconds: 10_000,
  patience: {limitMilliseconds: 6 * hour, outageMilliseconds: hour, beganAt: now},
  maxRefinements: 1,
  isAttended: true,
  isAccepted: false,
};
export const pause = {type: 'run.pause', reason: 'user_interrupt'} as const;

export const good = (id: string, fields: object = {}) => ({
  id,
  parentId: null,
  title: `Build ${id}`,
  description: `The ${id} of the shop, as the customers of the shop will see and use it.`,
  acceptanceCriteria: ['`npm test` passes', 'GET /health returns 200'],
  prompt: `Create src/${id}.ts and verify it with npm test.`,
  deps: [],
  ...fields,
});
export const tasks = (...list: object[]) => JSON.stringify({questions: [], tasks: list});
export const questions = JSON.stringify({
  questions: [{id: 'db', prompt: 'Which database?', options: ['pg']}],
  tasks: [],
});
export const operations = (...list: object[]) => JSON.stringify({questions: [], operations: list});
export const vague = {...good('api'), description: '', prompt: ''};

export function createPlanning(
  fields: Partial<PlanGenerationInput> = {},
  {
    plan = planOf(),
    ...more
  }: {plan?: Plan; runs?: readonly RunRecord[]; settings?: Readonly<Record<string, unknown>>} = {},
) {
  const fake = createFakeServices({plan, ...more});
  fake.agents.obeys.interrupt = true;
  // Digests that tell tasks apart.
  const services = {...fake.services, digest: (text: string) => text};
  const openQuestions: OpenPlanQuestions = new Map();
  const asked: PlanQuestion[] = [];
  const warnings: string[] = [];
  const clock = new SimulatedClock();
  const effects = defineEffects(services);
  const start = (request?: PlanRequest) => {
    const machine = providePlanning(services, {
      run: runMachine.provide({actors: effects.run}),
      retryWait: effects.executor.retryWait,
      questions: openQuestions,
      publish: (news) => {
        if (news.type === 'plan.asked') asked.push(news.question);
      },
      warn: (message) => warnings.push(message),
    });
    const actor = createActor(machine, {clock, input: {...input, ...fields, ...(request && {request})}});
    const finished = toPromise(actor);
    actor.start();
    return {actor, finished};
  };
  const draft = async () => {
    const {drafts} = await services.planDrafts.list();
    return drafts[0] ?? null;
  };
  const say = async (command: PlanCommand) => {
    const [open] = [...openQuestions.values()];
    if (!open) throw new Error('nobody is asked');
    open.send(command);
    await settle();
  };
  /** Wall clock and timers advance together, never further than to the next timer. */
  const pass = async (milliseconds: number) => {
    for (let left = milliseconds; left > 0; left -= 30_000) {
      const step = Math.min(30_000, left);
      fake.time.now = new Date(Date.parse(fake.time.now) + step).toISOString();
      clock.increment(step);
      await drain();
    }
  };
  return {
    ...fake,
    services,
    clock,
    openQuestions,
    asked,
    warnings,
    waits: effects.waits,
    start,
    draft,
    say,
    pass,
  };
}

/** Answers every turn of the planner in its session; the last answer is used for all that follow. */
export function answering(fake: ReturnType<typeof createPlanning>, ...answers: readonly string[]) {
  const left = [...answers];
  fake.agents.play = (agent) => {
    agent.opensSession('session-1');
    void settle().then(() => agent.succeeds(left.length > 1 ? left.shift() : left[0]));
  };
}

export const drain = async () => {
  for (let turn = 0; turn < 12; turn++) await settle();
};

export const prompts = (fake: ReturnType<typeof createPlanning>) =>
  fake.agents.agents.map(({request}) => request);
