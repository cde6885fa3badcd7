import {describe, expect, test} from 'vitest';
import {sentBackFeedback} from '../fakes/memory-feedback-store.ts';
import {question, restingRun, sessionRef} from '../fakes/runs.ts';
import {eventually} from '../helpers/eventually.ts';
import {family, planOf, task} from '../helpers/plans.ts';
import {keys, tuiProject} from './tui-project.tsx';

type Project = ReturnType<typeof tuiProject>;

/** The agents of these tasks succeed as soon as they are released. */
function succeeding(project: Project, answer: (taskId: string) => string = () => 'Done.') {
  project.agents.play = (agent) => {
    agent.opensSession(agent.request.sessionRef ?? sessionRef);
    agent.succeeds(answer(agent.taskId));
  };
  return project;
}

const gone = ({log}: Project) => log.filter((entry) => entry.startsWith('go '));

describe('Ctrl+C right after the key', () => {
  test('pauses: nothing is started', async () => {
    const project = succeeding(tuiProject({plan: planOf(task('a'), task('b'))}));
    project.press('e', keys.ctrlC);
    await project.sees('Paused before the next task.');
    expect(gone(project)).toEqual([]);
    expect(project.plans.statuses()).toEqual({a: 'todo', b: 'todo'});
  });

  test('pauses at every turn of the event loop until the agent is at work', async () => {
    for (let turn = 0; ; turn++) {
      const project = tuiProject({plan: planOf(task('a'), task('b'))});
      project.agents.play = () => {};
      project.press('e');
      for (let each = 0; each < turn; each++) await Promise.resolve();
      const before = gone(project).length;
      project.press(keys.ctrlC);
      await eventually(() => expect(project.engine.isBusy()).toBe(false));
      expect({turn, alive: project.agents.alive().length}).toEqual({turn, alive: 0});
      expect(gone(project).length).toBeLessThanOrEqual(before);
      expect(project.plans.statuses().b).toBe('todo');
      project.leave();
      if (before > 0) {
        expect(turn).toBeGreaterThan(10);
        return;
      }
    }
  });
});

describe('tasks that a parent review sent back', () => {
  function sentBack() {
    const ids = ['a', 'b', 'c'];
    const plan = planOf(family(task('p'), ...ids.map((id) => task(id, {status: 'done'}))));
    const runs = ids.map((id) =>
      restingRun({
        task_id: id,
        run_id: `${id}-1`,
        state: 'succeeded',
        provider_session_ref: sessionRef,
        resumable: true,
      }),
    );
    const project = tuiProject({plan, runs});
    for (const id of ids) {
      const feedback = sentBackFeedback({childTaskId: id, feedback: 'The totals are wrong.'});
      project.pendingFeedback.set(id, feedback);
      project.feedback.entries.set(id, feedback);
    }
    project.tell();
    return project;
  }

  test('are all resumed, then the parent is reviewed', async () => {
    const project = sentBack();
    succeeding(project, (id) => {
      project.pendingFeedback.delete(id);
      return id === 'p' ? '{"passed":true}' : 'Done.';
    });
    project.press(keys.enter, 'n', 'u');
    await project.sees('3 tasks are sent back');
    project.press('j', keys.enter);
    await eventually(() => expect(gone(project)).toEqual(['go a-2', 'go b-2', 'go c-2', 'go p-1']));
    await project.sees('3 done · no ready tasks remaining');
  });

  test('Ctrl+C between two of them starts no other', async () => {
    const project = sentBack();
    project.press(keys.enter, 'n', 'u');
    await project.sees('3 tasks are sent back');
    const release = project.plans.holdNextUpdate();
    succeeding(project);
    project.press('j', keys.enter);
    await eventually(() => expect(project.engine.isBusy()).toBe(true));
    project.press(keys.ctrlC);
    release();
    await eventually(() => expect(project.engine.isBusy()).toBe(false));
    expect(gone(project).length).toBeLessThanOrEqual(1);
    await project.sees('Paused');
  });
});

test('an answer continues the plan that asked', async () => {
  const project = tuiProject({plan: planOf(task('a'), task('b'), task('c'))});
  const asked = JSON.stringify({blackbird: {questions: [question]}});
  project.agents.play = (agent) => {
    agent.opensSession(agent.request.sessionRef ?? sessionRef);
    agent.succeeds(agent.taskId === 'a' && agent.request.kind === 'start' ? asked : 'Done.');
  };
  project.press(keys.enter, 'e');
  await project.sees(question.prompt);
  project.press('j', keys.enter);
  await eventually(() => expect(project.plans.statuses()).toEqual({a: 'done', b: 'done', c: 'done'}));
  await project.sees('3 done · no ready tasks remaining');
});

test('after a stop requested in another terminal no question opens, and its answer ends there', async () => {
  const project = tuiProject({plan: planOf(task('a'), task('b'))});
  const asked = JSON.stringify({blackbird: {questions: [question]}});
  project.press(keys.enter, 'e');
  await eventually(() => expect(project.agents.alive()).toHaveLength(1));
  expect(project.requests.ask('stop', project.jobs.ids()[0] ?? '')).toBe(true);
  await project.sees('stops after this task, as asked in another terminal');
  const [agent] = project.agents.alive();
  agent?.opensSession(sessionRef);
  agent?.succeeds(asked);
  await project.sees('a waits for your answer');
  await project.seesNot(question.prompt);
  project.press('u');
  await project.sees(question.prompt);
  project.press('j', keys.enter);
  await eventually(() => expect(project.agents.alive()).toHaveLength(1));
  const [resumed] = project.agents.alive();
  resumed?.opensSession(sessionRef);
  resumed?.succeeds('Done.');
  await project.sees('a is done · 1 ready');
  expect(project.plans.statuses()).toEqual({a: 'done', b: 'todo'});
});

test('a second question of the same run also opens by itself', async () => {
  const project = tuiProject({plan: planOf(task('a'), task('b'))});
  const asked = (id: string) => JSON.stringify({blackbird: {questions: [{id, prompt: `Which ${id}?`}]}});
  const rounds = [asked('colour'), asked('size')];
  project.agents.play = (agent) => {
    agent.opensSession(agent.request.sessionRef ?? sessionRef);
    agent.succeeds(agent.taskId === 'a' ? (rounds.shift() ?? 'Done.') : 'Done.');
  };
  project.press(keys.enter, 'e');
  await project.sees('Which colour?');
  project.press('red', keys.ctrlS);
  await project.sees('Which size?');
  project.press('small', keys.ctrlS);
  await eventually(() => expect(project.plans.statuses()).toEqual({a: 'done', b: 'done'}));
});

test('changes requested later, then approved and continued: the plan continues', async () => {
  const plan = planOf(task('a'), task('b'));
  const project = succeeding(tuiProject({plan, config: {execution: {stopAfterEachTask: true}}}));
  project.press(keys.enter, 'e');
  await project.sees('Approve and continue');
  project.press(keys.ctrlC);
  await project.seesNot('Approve and continue');
  project.press('u');
  await project.sees('Approve and continue');
  project.press('j', 'j', 'j', keys.enter);
  await project.sees('Request changes');
  project.press('Use cents', keys.ctrlS);
  await eventually(() => expect(gone(project)).toEqual(['go a-1', 'go a-2']));
  await project.sees('Approve and continue');
  project.press('j', keys.enter);
  await eventually(() => expect(gone(project)).toEqual(['go a-1', 'go a-2', 'go b-1']));
});

test('a parent review without a verdict is shown', async () => {
  const plan = planOf(family(task('p'), task('a')));
  const project = succeeding(tuiProject({plan}), (id) => (id === 'p' ? 'no idea' : 'Done.'));
  project.press('e');
  await project.sees('1 done · the review of p had no result · no ready tasks remaining');
});

test('the remark of a parent review that passed is shown', async () => {
  const plan = planOf(family(task('p'), task('a')), task('b'));
  const remark = '{"passed":true,"feedbackForResume":"Nice"}';
  const project = tuiProject({plan});
  project.agents.play = (agent) => {
    if (agent.taskId !== 'b') agent.succeeds(agent.taskId === 'p' ? remark : 'Done.');
  };
  project.press('e');
  await project.sees('the review of p passed; remarks: Nice');
});
