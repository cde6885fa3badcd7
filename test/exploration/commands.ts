import {keepSentFeedback} from '../../src/machines/actors/sent-feedback.ts';
import {startedSince} from '../../src/machines/actors/started-since.ts';
import {withdrawApproval} from '../../src/machines/actors/withdraw-approval.ts';
import type {Engine} from '../../src/machines/engine.ts';
import type {Job, JobStep} from '../../src/machines/policies/job/job-steps.ts';
import {checkpointStep, executeAll, undoStep} from '../../src/machines/policies/job/job-steps.ts';
import {setStatus} from '../../src/machines/policies/plan/plan-status.ts';
import {isConsumed} from '../../src/machines/policies/review/parent-feedback.ts';
import {leaveForReview} from '../../src/machines/policies/review/parent-review.ts';
import {requirePossible} from '../../src/machines/policies/run/run-refusals.ts';
import {
  factsAbout,
  nextCommands,
  type TaskCommand,
  type TaskFacts,
  taskObstacle,
} from '../../src/machines/policies/run/task-options.ts';
import {latestDeliveredRun} from '../../src/machines/policies/run/task-runs.ts';
import type {Task} from '../../src/services/contracts/plan.ts';
import type {Services} from '../../src/services/contracts/services.ts';
import {question} from '../fakes/runs.ts';
import {type History, newMessage, revertTitles, settleMessages} from './history.ts';
import type {Scenario} from './simulation.ts';
import type {Disk} from './world.ts';

type CommandContext = {readonly engine: Engine; readonly services: Services; readonly history: History};

/** A command of the user in a project at rest. */
export type Command = {
  readonly name: string;
  readonly command: TaskCommand | 'plan';
  readonly taskId: string | null;
  /** The checkpoint that every run of it ends at. */
  readonly isGated: boolean | undefined;
  /** A view shows it as possible. */
  readonly isOffered: boolean;
  readonly begin: (begin: CommandContext) => Promise<unknown>;
};

/** What the views know of a task at this moment. */
async function factsOn(disk: Disk, services: Services, task: Task): Promise<TaskFacts> {
  const runs = disk.runs.filter(({task_id}) => task_id === task.id).sort((a, b) => a.attempt - b.attempt);
  const run = latestDeliveredRun(runs);
  const pending = disk.feedback.find(({childTaskId}) => childTaskId === task.id);
  const moment = run?.decision_resolved_at;
  return factsAbout(disk.plan, task, {
    run,
    isSentBack: pending !== undefined && !isConsumed(pending, runs),
    isOrphaned: disk.orphans.some((orphan) => orphan.run.task_id === task.id),
    explicitProvider: null,
    customCommand: null,
    repoRoot: services.project.root,
    isEngineAlive: false,
    isSessionRef: services.isSessionRef,
    latestStart: moment === undefined ? null : await startedSince(services, disk.plan, moment),
  });
}

type CommandForm = {readonly name: string; readonly begin: (begin: CommandContext) => Promise<unknown>};
type CommandRule = (task: Task, facts: TaskFacts, scenario: Scenario, disk: Disk) => CommandForm[];

const started = (steps: readonly JobStep[], scenario: Scenario): Job => ({
  steps,
  options: {
    isImpatient: scenario.isPatient !== true,
    isAttended: scenario.isAttended ?? false,
    ...(scenario.isReviewed === undefined ? {} : {isReviewed: scenario.isReviewed}),
  },
});

const asTask =
  (scenario: Scenario, step: JobStep) =>
  ({engine}: CommandContext) =>
    engine.start(started([step], scenario));

const resumed = (taskId: string, answer: string | null, feedback: string | null): JobStep => ({
  type: 'task',
  taskId,
  mode: {
    type: 'resume',
    answers: answer === null ? [] : [{id: question.id, value: answer}],
    feedback,
  },
});

/** How each command of a task is given. A new command is one entry. */
const rules: Record<TaskCommand, CommandRule> = {
  resume: ({id}, {run}, scenario) => {
    // The user answers when asked.
    if (run?.state === 'waiting' && !run.answers?.some(({undelivered}) => undelivered)) return [];
    return [{name: `resume ${id}`, begin: asTask(scenario, resumed(id, null, null))}];
  },
  answer: ({id}, _, scenario, {history}) =>
    history.messages.length >= scenario.bounds.messages
      ? []
      : [
          {
            name: `answer ${id}`,
            begin: (begin) => {
              const {token} = newMessage(begin.history, id);
              return asTask(scenario, resumed(id, token, null))(begin);
            },
          },
        ],
  sendBack: ({id}, {run}, scenario, {history}) =>
    history.messages.length >= scenario.bounds.messages
      ? []
      : [
          {
            name: `resume ${id} with feedback`,
            begin: async (begin) => {
              const {token} = newMessage(begin.history, id);
              // Feedback at a checkpoint is a decision.
              if (run?.decision_state === 'pending')
                begin.history.decisions[run.run_id] = 'changes_requested';
              if (run) await keepSentFeedback(begin.services, run, token);
              return asTask(scenario, resumed(id, null, token))(begin);
            },
          },
        ],
  restart: ({id}, _, scenario) => [
    {
      name: `restart ${id}`,
      begin: asTask(scenario, {type: 'task', taskId: id, mode: {type: 'restart'}}),
    },
  ],
  execute: () => [],
  review: ({id}, {run}, scenario) => {
    const decide =
      (state: 'approved_continue' | 'approved_quit' | 'rejected') =>
      ({engine, history}: CommandContext) => {
        if (run) history.decisions[run.run_id] = state;
        settleMessages(history, id);
        if (state === 'rejected') revertTitles(history, id);
        return engine.start(started([checkpointStep(id, {state})], scenario));
      };
    return [
      {name: `approve ${id}`, begin: decide('approved_quit')},
      {name: `approve ${id} and go on`, begin: decide('approved_continue')},
      {name: `reject ${id}`, begin: decide('rejected')},
    ];
  },
  retry: ({id}, _, scenario, disk) => [
    {
      name: `retry ${id}`,
      begin: async ({services, history}) => {
        const task = disk.plan.items.get(id);
        if (!task) throw new Error(`${scenario.name} has no task ${id}`);
        requirePossible(await factsOn(disk, services, task), 'retry');
        settleMessages(history, id);
        await services.plans.update((plan) => setStatus(plan, id, 'todo', services.now()));
      },
    },
  ],
  undo: ({id}, _, scenario) =>
    scenario.tree === undefined
      ? []
      : [
          {
            name: `undo ${id}`,
            begin: (begin) => {
              settleMessages(begin.history, id);
              return asTask(scenario, undoStep(id))(begin);
            },
          },
        ],
  withdraw: ({id}, {run}) => [
    {
      name: `withdraw the approval of ${id}`,
      begin: ({services, history}) => {
        if (run) delete history.decisions[run.run_id];
        return withdrawApproval(services, id);
      },
    },
  ],
  setStatus: ({id, childIds}, _, scenario, disk) =>
    disk.history.edits >= scenario.bounds.edits
      ? []
      : statusesFor(disk, childIds).map((status) => ({
          name: `set ${id} to ${status} by hand`,
          begin: async ({services, history}: CommandContext) => {
            const task = disk.plan.items.get(id);
            if (!task) throw new Error(`${scenario.name} has no task ${id}`);
            requirePossible(await factsOn(disk, services, task), 'setStatus');
            history.edits += 1;
            history.byHand[id] = status;
            settleMessages(history, id);
            const hasRuns = (taskId: string) => disk.runs.some(({task_id}) => task_id === taskId);
            await services.plans.update((plan) =>
              leaveForReview(plan, setStatus(plan, id, status, services.now()), {named: id, hasRuns}),
            );
          },
        })),
};

/** A parent is done when its children are. */
function statusesFor({plan}: Disk, childIds: readonly string[]): ReadonlyArray<'done' | 'todo'> {
  return childIds.every((id) => plan.items.get(id)?.status === 'done') ? ['done', 'todo'] : ['todo'];
}

/** The plan first, then every command of every task, possible or not. */
export async function commandsFor(disk: Disk, services: Services, scenario: Scenario): Promise<Command[]> {
  const plan: Command = {
    name: 'execute',
    command: 'plan',
    taskId: null,
    isGated: scenario.isReviewed,
    isOffered: true,
    begin: ({engine}) => engine.start(started([executeAll], scenario)),
  };
  const found: Command[] = [plan];
  for (const task of disk.plan.items.values()) {
    const facts = await factsOn(disk, services, task);
    for (const command of Object.keys(rules) as TaskCommand[]) {
      if (scenario.commands && !scenario.commands.includes(command)) continue;
      const isOffered = taskObstacle(facts, command) === null;
      for (const form of rules[command](task, facts, scenario, disk))
        found.push({...form, command, taskId: task.id, isGated: scenario.isReviewed, isOffered});
    }
  }
  return found;
}

/** What a user does who follows the suggestions of the views, until nothing is left to do; null at the end. */
export async function suggestedCommand(
  disk: Disk,
  services: Services,
  scenario: Scenario,
): Promise<Command | null> {
  const open = [...disk.plan.items.values()].filter(({status}) => status !== 'done' && status !== 'skipped');
  // A user who finds a dead Blackbird starts it again, even when nothing seems left to do.
  const isLeftRunning = disk.runs.some(({state}) => state === 'running');
  if (open.length === 0 && !isLeftRunning) return null;
  const {commands: _, ...any} = scenario;
  const commands = await commandsFor(disk, services, {...any, bounds: unlimited});
  for (const task of disk.plan.items.values()) {
    const facts = await factsOn(disk, services, task);
    if (!open.includes(task) && !facts.isSentBack) continue;
    for (const next of nextCommands(facts)) {
      const wanted = next === 'resume' && facts.run?.state === 'waiting' ? ['answer', 'resume'] : [next];
      const found = commands.find(
        ({taskId, command, isOffered}) => taskId === task.id && isOffered && wanted.includes(command),
      );
      if (found) return found;
    }
  }
  return commands[0] ?? null;
}

const many = 1_000;
const unlimited: Scenario['bounds'] = {
  commands: many,
  attempts: many,
  segments: many,
  agents: many,
  pauses: 0,
  stops: 0,
  interleavings: 0,
  crashes: 0,
  edits: many,
  failures: 0,
  messages: many,
  secondInstances: 0,
};
