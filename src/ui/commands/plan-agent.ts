import {notNow} from '../keymap.ts';
import {missingAgent} from '../model/missing-agent.ts';
import {type Command, type CommandContext, planPanes, type Refusal} from './command.ts';

const section = 'Change the plan';

/** Refused while another job works; the planner's own job can be opened. */
const plannerFree: Refusal = ({isBusy}, {planning, data}) => {
  if (data?.plan.type === 'problem') return 'the plan cannot be used';
  return isBusy && planning === null ? 'an agent is working; plan between jobs' : null;
};

/** Refused before anything is written; a proposal that is there already can be read without an agent. */
const plannerReady: Refusal = (facts, state) =>
  plannerFree(facts, state) ??
  (state.planning === null && state.planDrafts.length === 0 ? missingAgent(state) : null);

/** Plans proposed by an agent. */
export const planAgentCommands: readonly Command[] = [
  {
    id: 'planner.show',
    keys: ['P'],
    label: 'see the planner',
    short: 'planner',
    hint: 'first',
    at: ['home'],
    refusal: (_, {planning}) => (planning === null ? notNow : null),
    run: openPlanner,
  },
  {
    id: 'planner.generate',
    keys: ['P'],
    label: 'plan with your agent',
    short: 'plan by agent',
    hint: 'first',
    at: ['home'],
    refusal: (facts, state) => (state.planning === null ? plannerReady(facts, state) : notNow),
    run: openPlanner,
  },
  {
    id: 'planner.generateBeside',
    keys: ['P'],
    label: 'plan with your agent',
    called: (_, {planning}) => (planning === null ? 'plan with your agent' : 'see the planner'),
    hint: 'more',
    at: planPanes,
    section,
    refusal: plannerReady,
    run: openPlanner,
  },
  {
    id: 'planner.refine',
    keys: ['C'],
    label: 'have your agent change it',
    help: 'have your agent change the task and what is below it',
    at: planPanes,
    section,
    refusal: (facts, state) =>
      state.planning === null
        ? (plannerFree(facts, state) ?? missingAgent(state))
        : 'your agent is working on the plan: P shows it',
    run: ({core, open}) => open({type: 'planWish', kind: 'refine', taskId: core.facts().task?.id ?? null}),
  },
];

/** Opens the current question or work; else a stored draft, or a new request. */
function openPlanner({core, open}: CommandContext): void {
  const {planning, planDrafts} = core.get();
  if (planning) open(planning.question ? dialogFor(planning.question) : {type: 'planWork'});
  else if (planDrafts.length > 0) open({type: 'planDrafts'});
  else open({type: 'planWish', kind: 'generate', taskId: null});
}

/** Questions come before a proposal. */
export const dialogFor = ({draft}: {readonly draft: {readonly questions: readonly unknown[]}}) =>
  ({type: draft.questions.length > 0 ? 'planQuestions' : 'planReview'}) as const;
