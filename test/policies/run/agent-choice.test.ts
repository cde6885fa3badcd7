import {describe, expect, test} from 'vitest';
import {requireTask} from '../../../src/machines/policies/plan/plan-graph.ts';
import {
  agentFor,
  beginnerMissing,
  type JobAgent,
  namedAgents,
  reviewerModel,
} from '../../../src/machines/policies/run/agent-choice.ts';
import {AppError} from '../../../src/services/contracts/errors.ts';
import type {Task} from '../../../src/services/contracts/plan.ts';
import {programIds, providerTable} from '../../../src/services/contracts/provider-table.ts';
import {family, planOf, task} from '../../helpers/plans.ts';

const claude: JobAgent = {provider: 'claude', explicitProvider: null};

/** A task `a` below `p`, below `g`. */
function choose(
  own: Partial<Task>,
  parent: Partial<Task> = {},
  grandparent: Partial<Task> = {},
  job: JobAgent = claude,
) {
  const plan = planOf(family(task('g', grandparent), family(task('p', parent), task('a', own))));
  return agentFor(plan, requireTask(plan, 'a'), job);
}

describe('the agent and model of a task', () => {
  test("is the job's when the task sets none", () => {
    expect(choose({})).toEqual({provider: 'claude'});
    const modelChoices = {
      asked: {},
      settings: {claude: {model: 'opus', effort: 'high'}, codex: {model: 'gpt'}},
    };
    expect(choose({}, {}, {}, {...claude, modelChoices})).toEqual({
      provider: 'claude',
      model: 'opus',
      effort: 'high',
    });
    expect(choose({agent: 'codex'}, {}, {}, {...claude, modelChoices})).toEqual({
      provider: 'codex',
      model: 'gpt',
    });
  });

  test("is the task's, then that of the nearest parent that sets one", () => {
    expect(choose({model: 'own'}, {model: 'parent', effort: 'low'}, {effort: 'max', agent: 'codex'})).toEqual(
      {
        provider: 'codex',
        model: 'own',
        effort: 'low',
      },
    );
  });

  test('is the one named for the job before all others', () => {
    const job: JobAgent = {
      provider: 'codex',
      explicitProvider: 'codex',
      modelChoices: {asked: {model: 'named'}, settings: {codex: {effort: 'high'}}},
    };
    expect(choose({agent: 'claude', model: 'opus', effort: 'max'}, {}, {}, job)).toEqual({
      provider: 'codex',
      model: 'named',
      effort: 'high',
    });
  });

  test('never takes the model of another agent', () => {
    expect(choose({agent: 'codex'}, {agent: 'claude', model: 'opus', effort: 'max'})).toEqual({
      provider: 'codex',
    });
    expect(choose({model: 'gpt'}, {agent: 'codex'}, {model: 'any'})).toEqual({
      provider: 'codex',
      model: 'gpt',
    });
    expect(choose({agent: 'codex'}, {}, {model: 'any'})).toEqual({provider: 'codex', model: 'any'});
  });

  test('is refused, naming task and agent, when it is unknown', () => {
    expect(() => choose({agent: 'nobody'})).toThrow('task a names the agent "nobody", which is unknown');
    expect(choose({agent: 'Codex'})).toEqual({provider: 'codex'});
  });

  test('of a reviewer is set by the job and the settings', () => {
    const modelChoices = {asked: {effort: 'low'}, settings: {claude: {model: 'opus', effort: 'high'}}};
    expect(reviewerModel('claude', modelChoices)).toEqual({model: 'opus', effort: 'low'});
    expect(reviewerModel('codex', undefined)).toEqual({});
  });
});

describe('the agents that a job needs in addition to its own', () => {
  const plan = planOf(
    family(task('p', {agent: 'codex'}), task('a'), task('b', {agent: 'demo'})),
    task('c', {agent: 'claude', status: 'done'}),
    task('d', {agent: 'codex'}),
  );
  const named = (taskIds: readonly string[], explicitProvider: JobAgent['explicitProvider'] = null) =>
    Object.fromEntries(namedAgents(plan, taskIds, {explicitProvider}));

  test('are those of the tasks to run, each with its first task', () => {
    expect(named([])).toEqual({codex: 'a', demo: 'b'});
    expect(named(['d'])).toEqual({codex: 'd'});
  });

  test('are none when one is named for all tasks', () => {
    expect(named([], 'claude')).toEqual({});
  });
});

test('when nothing was started, a missing agent is answered with the installed ones and the demo', () => {
  const install = {command: 'npm install -g @anthropic-ai/claude-code', why: 'or put claude on your PATH'};
  const others = programIds.filter((id) => id !== 'claude').map((id) => providerTable[id]);
  const look = {command: 'blackbird agents', why: 'see what is installed'};
  const error = new AppError('E_AGENT_NOT_FOUND', 'no claude', {
    details: [['provider', 'claude']],
    next: [install, look],
  });
  expect(beginnerMissing('claude', error)).toMatchObject({
    code: 'E_AGENT_NOT_FOUND',
    message: 'no claude',
    details: [['provider', 'claude']],
    next: [
      install,
      ...others.map(({install: command, title}) => ({command, why: `or use ${title} instead`})),
      {command: 'blackbird demo', why: 'or watch the built-in demo agent: no account is needed'},
      look,
    ],
  });
  const other = new AppError('E_AGENT_UNKNOWN', 'no gpt');
  expect(beginnerMissing('claude', other)).toBe(other);
});
