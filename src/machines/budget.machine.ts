import {assign, type EventObject, setup} from 'xstate';
import type {RunRecord} from '../services/contracts/run.ts';
import {callbackNotProvided, promiseNotProvided} from './actors/not-provided.ts';
import {outputIn} from './chart-parts.ts';
import {type Budgets, type Overrun, overrunOf, type Spending, timeLeft} from './policies/run/budget.ts';

export type BudgetInput = {
  /** The record before its agent was launched. */
  readonly run: RunRecord;
  /** Without any, nothing is limited. */
  readonly budgets?: Budgets;
};
type BudgetContext = BudgetInput & {left: number; overrun: Overrun | null};

/** The longest interval between two looks at an agent that reports no usage. */
const longestLook = 30_000;
const shortestLook = 100;

/** Watches an agent's usage and ends when a budget is used up: the invoking machine then pauses the run. */
export const budgetMachine = setup({
  types: {
    input: {} as BudgetInput,
    context: {} as BudgetContext,
    events: {} as {type: 'use.changed'},
    output: {} as Overrun | null,
  },
  actors: {
    readSpending: promiseNotProvided<Spending, {readonly run: RunRecord}>('readSpending'),
    watchUse: callbackNotProvided<EventObject, {readonly run: RunRecord}>('watchUse'),
  },
  actions: {
    rememberLeft: assign(({context: {budgets}}, spending: Spending) => ({
      left: budgets ? timeLeft(budgets, spending) : longestLook,
    })),
    rememberOverrun: assign(({context: {budgets}}, spending: Spending) => ({
      overrun: budgets ? overrunOf(budgets, spending) : null,
    })),
  },
  guards: {
    isLimited: ({context}) => context.budgets !== undefined,
    isUsedUp: ({context: {budgets}}, spending: Spending) =>
      budgets !== undefined && overrunOf(budgets, spending) !== null,
  },
  delays: {
    untilNextLook: ({context}) => Math.max(shortestLook, Math.min(longestLook, context.left)),
  },
}).createMachine({
  id: 'budget',
  context: ({input}) => ({...input, left: longestLook, overrun: null}),
  initial: 'routing',
  states: {
    routing: {always: [{guard: 'isLimited', target: 'limited'}, {target: 'unlimited'}]},
    unlimited: {},
    limited: {
      invoke: {id: 'watchUse', src: 'watchUse', input: ({context: {run}}) => ({run})},
      initial: 'looking',
      states: {
        looking: {
          on: {'use.changed': {target: 'looking', reenter: true}},
          invoke: {
            id: 'readSpending',
            src: 'readSpending',
            input: ({context: {run}}) => ({run}),
            onDone: [
              {
                guard: {type: 'isUsedUp', params: outputIn},
                target: '#usedUp',
                actions: {type: 'rememberOverrun', params: outputIn},
              },
              {target: 'watching', actions: {type: 'rememberLeft', params: outputIn}},
            ],
          },
        },
        watching: {
          on: {'use.changed': 'looking'},
          after: {untilNextLook: 'looking'},
        },
      },
    },
    usedUp: {id: 'usedUp', type: 'final'},
  },
  output: ({context}) => context.overrun,
});
