import {describe, expect, test} from 'vitest';
import {planGenerationMachine} from '../../src/machines/plan-generation.machine.ts';
import {planTurnMachine} from '../../src/machines/plan-turn.machine.ts';
import type {FailureKind} from '../../src/services/contracts/agent.ts';
import {
  answering,
  createPlanning,
  drain,
  good,
  hour,
  input,
  operations,
  pause,
  prompts,
  questions,
  tasks,
  vague,
  wish,
} from '../fakes/planning.ts';
import {restingRun, runRecord} from '../fakes/runs.ts';
import {settle} from '../fakes/services.ts';
import {unreachedTransitions} from '../helpers/model.ts';
import {family, now, planOf, task, taskIn, withStatus} from '../helpers/plans.ts';

test('a plan is saved even when its draft cannot be removed, which is reported', async () => {
  const fake = createPlanning();
  answering(fake, tasks(good('api')));
  fake.services.planDrafts.remove = async () => {
    throw new Error('EACCES: permission denied');
  };
  const {finished} = fake.start();
  await drain();
  await fake.say({type: 'plan.accept'});
  expect((await finished).outcome).toBe('saved');
  expect(fake.plans.statuses()).toEqual({api: 'todo'});
  const {draftId = ''} = (await fake.draft()) ?? {};
  expect(fake.warnings).toEqual([
    `the plan is saved, and its draft could not be removed: EACCES: permission denied; remove it with: blackbird plan drafts drop ${draftId}`,
  ]);
});

describe('a plan that is generated', () => {
  test('is a draft on disk before the planner starts, and saved only when the user accepts it', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api'), good('web', {deps: ['api']})));
    const {finished} = fake.start();
    await drain();
    expect(fake.asked).toMatchObject([{draft: {questions: []}, preview: {findings: []}, refusal: undefined}]);
    expect(fake.asked[0]?.preview?.diff.added.map(({id}) => id)).toEqual(['api', 'web']);
    expect(fake.plans.statuses()).toEqual({});
    await fake.say({type: 'plan.accept'});
    expect(await finished).toMatchObject({outcome: 'saved', draft: {kind: 'generate'}});
    expect(fake.plans.statuses()).toEqual({api: 'todo', web: 'todo'});
    expect(await fake.draft()).toBeNull();
    expect(fake.log.slice(0, 4)).toEqual([
      'draft start',
      'draft start',
      expect.stringMatching(/^record plan_.* running\/launching$/),
      expect.stringMatching(/^launch plan_/),
    ]);
    expect(fake.violations).toEqual([]);
  });

  test('is made by a read-only agent with the schema', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api')));
    fake.start();
    await drain();
    expect(prompts(fake)).toMatchObject([
      {kind: 'start', access: 'read-only', answerSchema: {required: ['questions', 'tasks']}},
    ]);
  });

  test('is saved without a question when that was requested and nothing blocks it', async () => {
    const fake = createPlanning({isAccepted: true, isAttended: false});
    answering(fake, tasks(good('api')));
    const {finished} = fake.start();
    expect(await finished).toMatchObject({outcome: 'saved'});
    expect(fake.asked).toEqual([]);
  });

  test('stays a draft without a user to decide', async () => {
    const fake = createPlanning({isAttended: false});
    answering(fake, tasks(good('api')));
    const {finished} = fake.start();
    expect(await finished).toMatchObject({outcome: 'undecided', reading: {blocking: 0}});
    expect(await fake.draft()).toMatchObject({saying: null, operations: [{type: 'add'}]});
    expect(fake.plans.statuses()).toEqual({});
  });
});

describe('questions', () => {
  test('are answered in the same session, and earlier answers stay', async () => {
    const fake = createPlanning();
    answering(fake, questions, questions, tasks(good('api')));
    fake.start();
    await drain();
    await fake.say({type: 'plan.answer', answers: [{id: 'db', value: 'pg'}]});
    await drain();
    await fake.say({type: 'plan.answer', answers: [{id: 'db', value: 'mysql'}]});
    await drain();
    expect(prompts(fake)).toMatchObject([
      {kind: 'start'},
      {kind: 'resume', sessionRef: 'session-1', prompt: expect.stringContaining('Which database?\n  pg')},
      {kind: 'resume', sessionRef: 'session-1', prompt: expect.stringContaining('mysql')},
    ]);
    expect((await fake.draft())?.answers).toMatchObject([{value: 'pg'}, {value: 'mysql'}]);
  });

  test('that are not all answered are asked again, with the reason', async () => {
    const fake = createPlanning();
    answering(fake, questions);
    fake.start();
    await drain();
    await fake.say({type: 'plan.answer', answers: []});
    await drain();
    expect(fake.asked.at(-1)?.refusal).toMatchObject({code: 'E_NO_INPUT'});
  });

  test('one round too many is sent back: the planner has to decide by itself', async () => {
    const fake = createPlanning();
    answering(fake, questions, questions, questions, tasks(good('api')));
    fake.start();
    for (let round = 0; round < 2; round++) {
      await drain();
      await fake.say({type: 'plan.answer', answers: [{id: 'db', value: 'pg'}]});
    }
    await drain();
    expect(prompts(fake).at(-1)?.prompt).toContain('do not ask again');
    expect(fake.asked.at(-1)?.preview).not.toBeNull();
  });

  test('one round too many is still asked when no correction is left', async () => {
    const fake = createPlanning();
    answering(fake, 'no', 'no', questions);
    fake.start();
    for (let round = 0; round < 3; round++) {
      await drain();
      await fake.say({type: 'plan.answer', answers: [{id: 'db', value: 'pg'}]});
    }
    await drain();
    expect(prompts(fake)).toHaveLength(6);
    expect(fake.asked).toHaveLength(4);
  });

  test('are left open without a user, and answered when the draft is opened', async () => {
    const fake = createPlanning({isAttended: false});
    answering(fake, questions, tasks(good('api')));
    expect(await fake.start().finished).toMatchObject({outcome: 'unanswered'});
    const draftId = (await fake.draft())?.draftId ?? '';
    const answers = [{id: 'db', value: 'pg'}];
    expect(await fake.start({type: 'open', draftId, answers}).finished).toMatchObject({outcome: 'undecided'});
    expect(prompts(fake)).toMatchObject([{kind: 'start'}, {kind: 'resume', sessionRef: 'session-1'}]);
  });
});

describe('an unusable answer', () => {
  test('goes back to the same session with everything that is wrong', async () => {
    const fake = createPlanning();
    const wrong = tasks(good('a', {deps: ['nobody']}), good('b', {parentId: 'gone'}), good('b'));
    answering(fake, 'I would rather not.', wrong, tasks(good('api')));
    fake.start();
    await drain();
    const [, second, third] = prompts(fake);
    expect(second).toMatchObject({kind: 'resume', sessionRef: 'session-1'});
    expect(second?.prompt).toContain('no JSON object with "tasks"');
    expect(third?.prompt).toContain('unknown parent id "gone"');
    expect(third?.prompt).toContain('id already exists: "b"');
    expect(fake.asked.at(-1)?.preview?.diff.added).toMatchObject([{id: 'api'}]);
  });

  test('is given up after a number of attempts; the draft is kept', async () => {
    const fake = createPlanning();
    answering(fake, 'no');
    const {finished} = fake.start();
    expect(await finished).toMatchObject({outcome: 'unusable', reading: {problems: [expect.any(String)]}});
    expect(fake.agents.agents).toHaveLength(3);
    expect(await fake.draft()).not.toBeNull();
  });

  test('leaves one draft, however often the request is repeated', async () => {
    const fake = createPlanning();
    answering(fake, 'no');
    for (const text of ['an API', 'an API', 'a page'])
      await fake.start({type: 'new', wish: {kind: 'generate', text, taskIds: []}}).finished;
    const {drafts} = await fake.services.planDrafts.list();
    expect(drafts.map(({text}) => text)).toEqual(['an API', 'a page']);
  });
});

describe('the quality gate', () => {
  test('sends a vague plan back by itself, as often as the settings say', async () => {
    const fake = createPlanning();
    answering(fake, tasks(vague), tasks(good('api')));
    fake.start();
    await drain();
    expect(prompts(fake)[1]?.prompt).toContain('api.prompt (blocking)');
    expect(fake.asked).toMatchObject([{preview: {findings: []}}]);
  });

  test('shows what is left to the user, who may still accept it', async () => {
    const fake = createPlanning();
    answering(fake, tasks(vague));
    const {finished} = fake.start();
    await drain();
    expect(fake.agents.agents).toHaveLength(2);
    expect(fake.asked[0]?.preview?.findings.length).toBeGreaterThan(0);
    await fake.say({type: 'plan.accept'});
    expect(await finished).toMatchObject({outcome: 'saved'});
  });

  test('knows the checks for every task', async () => {
    const unchecked = good('api', {acceptanceCriteria: ['GET /health returns 200', 'exit code 0']});
    for (const [verify, found] of [
      [[], ['leaf_verify_missing']],
      [['npm test'], []],
    ] as const) {
      const fake = createPlanning({}, {settings: {verify}});
      answering(fake, tasks(unchecked));
      fake.start();
      await drain();
      expect(fake.asked[0]?.preview?.findings.map(({code}) => code)).toEqual(found);
    }
  });

  test('keeps what it blocks from being saved without a question', async () => {
    const fake = createPlanning({isAccepted: true, isAttended: false, maxRefinements: 0});
    answering(fake, tasks(vague));
    expect(await fake.start().finished).toMatchObject({outcome: 'undecided'});
    expect(fake.plans.statuses()).toEqual({});
  });
});

describe('the user', () => {
  test('has it revised in the same session', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api')), tasks(good('api'), good('docs')));
    fake.start();
    await drain();
    await fake.say({type: 'plan.revise', text: 'With docs.'});
    await drain();
    expect(prompts(fake)[1]).toMatchObject({kind: 'resume', prompt: expect.stringContaining('With docs.')});
    expect(fake.asked.at(-1)?.preview?.diff.added.map(({id}) => id)).toEqual(['api', 'docs']);
    expect(await fake.draft()).toMatchObject({revisions: ['With docs.']});
  });

  test('is told why an empty revision is refused', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api')));
    fake.start();
    await drain();
    await fake.say({type: 'plan.revise', text: ' '});
    await drain();
    expect(fake.asked.at(-1)?.refusal).toMatchObject({code: 'E_NO_INPUT'});
  });

  test('edits it before it is saved; an invalid edit is refused, and the gate sends nothing back', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api'), good('web')));
    const {finished} = fake.start();
    await drain();
    await fake.say({type: 'plan.edit', edit: [{type: 'edit', taskId: 'gone', fields: {title: 'x'}}]});
    await drain();
    expect(fake.asked.at(-1)?.refusal).toMatchObject({code: 'E_PLAN_EDIT'});
    await fake.say({
      type: 'plan.edit',
      edit: [
        {type: 'delete', taskId: 'web', cascade: true},
        {type: 'edit', taskId: 'api', fields: {title: 'The API', prompt: ''}},
      ],
    });
    await drain();
    expect(fake.agents.agents).toHaveLength(1);
    await fake.say({type: 'plan.accept'});
    expect(await finished).toMatchObject({outcome: 'saved'});
    expect(fake.plans.statuses()).toEqual({api: 'todo'});
    expect(taskIn(await fake.services.plans.read(), 'api').title).toBe('The API');
  });

  test('edits it and has it revised: the planner is told what was edited and dropped', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api'), good('web')));
    fake.start();
    await drain();
    await fake.say({
      type: 'plan.edit',
      edit: [
        {type: 'delete', taskId: 'web', cascade: true},
        {type: 'edit', taskId: 'api', fields: {title: 'The API'}},
      ],
    });
    await drain();
    await fake.say({type: 'plan.revise', text: 'With docs.'});
    await drain();
    const {kind, prompt} = prompts(fake)[1] ?? {};
    expect(kind).toBe('resume');
    expect(prompt).toContain('# The current proposal');
    expect(prompt).toContain('"title":"The API"');
    expect(prompt).toContain('Do not propose them again: "web"');
    expect(prompt).toContain('With docs.');
    expect(prompt).not.toContain('Build web');
    // Its next answer is its own again.
    await fake.say({type: 'plan.revise', text: 'With tests.'});
    await drain();
    expect(prompts(fake)[2]?.prompt).not.toContain('The current proposal');
  });

  test('drops it, and nothing is left', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api')));
    const {finished} = fake.start();
    await drain();
    await fake.say({type: 'plan.drop'});
    expect(await finished).toMatchObject({outcome: 'dropped'});
    expect(await fake.draft()).toBeNull();
    expect(fake.plans.statuses()).toEqual({});
  });

  test('who leaves it for later finds it as it was', async () => {
    const fake = createPlanning();
    answering(fake, tasks(good('api')));
    const first = fake.start();
    await drain();
    await fake.say({type: 'plan.postpone'});
    expect(await first.finished).toMatchObject({outcome: 'undecided'});
    const {finished} = fake.start({type: 'open', draftId: (await fake.draft())?.draftId ?? ''});
    await drain();
    await fake.say({type: 'plan.accept'});
    expect(await finished).toMatchObject({outcome: 'saved'});
    expect(fake.agents.agents).toHaveLength(1);
  });
});

describe('a pause', () => {
  test('interrupts the planner; the draft continues in the same session', async () => {
    const fake = createPlanning();
    fake.agents.play = (agent) => {
      agent.opensSession('session-1');
      agent.says({type: 'message', text: 'I look around.'});
    };
    const {actor, finished} = fake.start();
    await drain();
    actor.send(pause);
    expect(await finished).toMatchObject({outcome: 'paused', run: {state: 'paused', resumable: true}});
    expect(fake.agents.alive()).toEqual([]);
    answering(fake, tasks(good('api')));
    fake.start({type: 'open', draftId: (await fake.draft())?.draftId ?? ''});
    await drain();
    expect(prompts(fake)[1]).toMatchObject({
      kind: 'resume',
      sessionRef: 'session-1',
      prompt: expect.stringContaining('You were interrupted'),
    });
    expect(fake.asked).toHaveLength(1);
  });

  test('while the planner is prepared starts none', async () => {
    const fake = createPlanning();
    const release = fake.agents.holdLaunch();
    const {actor, finished} = fake.start();
    await drain();
    actor.send(pause);
    release();
    expect(await finished).toMatchObject({outcome: 'paused'});
    expect(fake.agents.alive()).toEqual([]);
    expect(await fake.draft()).toMatchObject({saying: {type: 'start'}});
  });

  /** The writes of drafts wait until they are released, except for the first ones. */
  const holdDrafts = ({services}: ReturnType<typeof createPlanning>, first = 0) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const {save} = services.planDrafts;
    let writes = 0;
    services.planDrafts.save = async (draft) => {
      if (++writes > first) await held;
      await save(draft);
    };
    return () => release();
  };

  test('while the draft is opened starts no planner', async () => {
    const fake = createPlanning();
    const release = holdDrafts(fake);
    const {actor, finished} = fake.start();
    await drain();
    actor.send(pause);
    release();
    expect(await finished).toMatchObject({outcome: 'paused', run: null});
    expect(fake.agents.agents).toEqual([]);
    expect(await fake.draft()).toMatchObject({saying: {type: 'start'}});
  });

  test('while a turn is prepared starts no planner, and its run is canceled', async () => {
    const fake = createPlanning();
    const release = holdDrafts(fake, 1);
    const {actor, finished} = fake.start();
    await drain();
    actor.send(pause);
    release();
    expect(await finished).toMatchObject({outcome: 'paused'});
    expect(fake.agents.agents).toEqual([]);
    const {draftId} = (await fake.draft()) ?? {};
    expect(fake.runs.records(`plan:${draftId}`)).toMatchObject([
      {state: 'canceled', segments: [], failure: {kind: 'stopped'}},
    ]);
    expect(fake.violations).toEqual([]);
  });

  test('while an answer is stored starts no planner, and the answer is sent the next time', async () => {
    const fake = createPlanning();
    answering(fake, questions);
    const {actor, finished} = fake.start();
    await drain();
    const release = holdDrafts(fake);
    await fake.say({type: 'plan.answer', answers: [{id: 'db', value: 'pg'}]});
    actor.send(pause);
    release();
    expect(await finished).toMatchObject({outcome: 'paused'});
    expect(fake.agents.agents).toHaveLength(1);
    expect(await fake.draft()).toMatchObject({saying: {type: 'answers'}, answers: [{value: 'pg'}]});
  });

  test('at a question or a decision leaves it open', async () => {
    for (const [answer, outcome] of [
      [questions, 'unanswered'],
      [tasks(good('api')), 'undecided'],
    ] as const) {
      const fake = createPlanning();
      answering(fake, answer);
      const {actor, finished} = fake.start();
      await drain();
      actor.send(pause);
      expect(await finished).toMatchObject({outcome});
      expect(await fake.draft()).not.toBeNull();
    }
  });

  test('a lost session is not continued: everything is told again', async () => {
    const fake = createPlanning({isAttended: false});
    answering(fake, questions);
    await fake.start().finished;
    const draftId = (await fake.draft())?.draftId ?? '';
    fake.agents.play = (agent) => agent.fails({kind: 'resume_rejected', message: 'no such session'});
    const answers = [{id: 'db', value: 'pg'}];
    expect(await fake.start({type: 'open', draftId, answers}).finished).toMatchObject({outcome: 'failed'});
    answering(fake, tasks(good('api')));
    expect(await fake.start({type: 'open', draftId}).finished).toMatchObject({outcome: 'undecided'});
    expect(prompts(fake).at(-1)).toMatchObject({
      kind: 'start',
      prompt: expect.stringMatching(/A shop(.|\n)*pg/),
    });
  });
});

describe('a limit or an outage', () => {
  const at = (milliseconds: number) => new Date(Date.parse(now) + milliseconds).toISOString();
  const minute = 60_000;
  /** The first turns meet this in their session, the next one answers. */
  const meeting = (
    fake: ReturnType<typeof createPlanning>,
    kind: FailureKind,
    times: number,
    resetAt?: string,
  ) => {
    let left = times;
    fake.agents.play = (agent) => {
      agent.opensSession('session-1');
      const failure = {kind, message: kind, ...(resetAt === undefined ? {} : {reset_at: resetAt})};
      if (left-- > 0) agent.exits({exitCode: 1, verdict: {outcome: 'failed', failure, text: ''}});
      else void settle().then(() => agent.succeeds(tasks(good('api'))));
    };
  };
  const kinds = (fake: ReturnType<typeof createPlanning>) =>
    prompts(fake).map(({kind, sessionRef}) => `${kind} ${sessionRef}`);

  test('is waited for, and the planner continues in its session', async () => {
    const fake = createPlanning({isAccepted: true});
    meeting(fake, 'rate_limit', 1, at(hour));
    const {finished} = fake.start();
    await drain();
    expect([...fake.waits]).toMatchObject([
      {wait: {reason: 'usage_limit', until: at(hour + minute), provider: 'claude', isTooLong: false}},
    ]);
    await fake.pass(hour);
    expect(kinds(fake)).toEqual(['start null']);
    await fake.pass(2 * minute);
    expect(kinds(fake)).toEqual(['start null', 'resume session-1']);
    expect(await finished).toMatchObject({outcome: 'saved'});
  });

  test('can be tried now, left by a pause or a stop, and is not waited for beyond the settings', async () => {
    const tried = createPlanning({isAccepted: true});
    meeting(tried, 'rate_limit', 1, at(hour));
    const {finished} = tried.start();
    await drain();
    for (const {send} of tried.waits) send({type: 'retry.now'});
    expect(await finished).toMatchObject({outcome: 'saved'});

    for (const command of [pause, {type: 'executor.stopAfterTask'} as const]) {
      const left = createPlanning();
      meeting(left, 'rate_limit', 1, at(hour));
      const {actor, finished} = left.start();
      await drain();
      actor.send(command);
      expect(await finished).toMatchObject({outcome: 'paused', run: {pause_reason: 'usage_limit'}});
      expect(left.waits.size).toBe(0);
    }

    const impatient = createPlanning({patience: {...input.patience, limitMilliseconds: 0}});
    meeting(impatient, 'rate_limit', 1, at(hour));
    expect(await impatient.start().finished).toMatchObject({
      outcome: 'paused',
      run: {retry_at: at(hour + minute)},
      wait: {isTooLong: true},
    });
  });

  test('that is already known keeps it from starting; the draft is kept', async () => {
    const fake = createPlanning();
    const until = at(7 * hour);
    fake.limits.limits.set('claude', {until, source: 'reported', seenAt: now});
    expect(await fake.start().finished).toMatchObject({outcome: 'paused', run: null, wait: {until}});
    expect(kinds(fake)).toEqual([]);
    expect(await fake.draft()).toMatchObject({saying: {type: 'start'}});
  });

  test('waits longer each time, and in total no longer than the settings say', async () => {
    const fake = createPlanning();
    meeting(fake, 'outage', 100);
    const {finished} = fake.start();
    await drain();
    await fake.pass(hour);
    expect(await finished).toMatchObject({outcome: 'paused', wait: {isTooLong: true}});
    const turns = fake.agents.agents.length;
    expect(turns).toBeGreaterThan(3);
    expect(turns).toBeLessThan(20);
    expect(fake.violations).toEqual([]);
  });
});

describe('a refine', () => {
  const plan = planOf(
    family(task('shop'), task('api', {status: 'failed'}), task('web', {status: 'in_progress'})),
    task('docs', {status: 'waiting_user', deps: ['shop']}),
  );
  const runs = [
    restingRun({task_id: 'api', run_id: 'api-1', state: 'failed'}),
    restingRun({task_id: 'web', run_id: 'web-1', state: 'paused'}),
    restingRun({task_id: 'docs', run_id: 'docs-1', state: 'waiting'}),
  ];
  const refine = {request: {type: 'new', wish: {kind: 'refine', text: 'Change it', taskIds: []}}} as const;
  const edit = (id: string, fields: object) => ({op: 'edit', id, ...fields});

  test('of failed, paused and waiting tasks keeps their states, runs and times', async () => {
    const fake = createPlanning(
      {...refine, isAccepted: true, maxRefinements: 0, isAttended: true},
      {plan, runs},
    );
    const before = fake.plans.statuses();
    fake.time.now = '2027-01-01T00:00:00Z';
    answering(
      fake,
      operations(
        edit('api', {title: 'The API'}),
        edit('web', {title: 'The web'}),
        {op: 'move', id: 'docs', parentId: 'shop'},
        {op: 'set_deps', id: 'docs', deps: ['api']},
        {op: 'add', task: good('extra', {parentId: 'shop'})},
      ),
    );
    const {finished} = fake.start();
    await drain();
    await fake.say({type: 'plan.accept'});
    expect(await finished).toMatchObject({outcome: 'saved'});
    expect(fake.plans.statuses()).toEqual({...before, extra: 'todo'});
    const after = await fake.services.plans.read();
    expect(taskIn(after, 'web')).toMatchObject({
      title: 'The web',
      createdAt: taskIn(plan, 'web').createdAt,
      parentId: 'shop',
    });
    expect(taskIn(after, 'docs')).toMatchObject({parentId: 'shop', deps: ['api']});
    expect(fake.runs.records('web')).toEqual([runs[1]]);
  });

  test('of tasks that changed in the meantime goes back with their current text', async () => {
    const fake = createPlanning(refine, {plan, runs});
    answering(fake, operations(edit('api', {title: 'The API'})));
    const {finished} = fake.start();
    await drain();
    await fake.services.plans.update((current) => ({
      ...current,
      items: new Map(current.items).set('api', {...taskIn(current, 'api'), title: 'Mine'}),
    }));
    await fake.say({type: 'plan.accept'});
    await drain();
    expect(fake.asked.at(-1)?.refusal).toMatchObject({code: 'E_CONFLICT'});
    expect(taskIn(await fake.services.plans.read(), 'api').title).toBe('Mine');
    await fake.say({type: 'plan.postpone'});
    await finished;
    // Opening it again has it fixed against the plan as it is now.
    fake.start({type: 'open', draftId: (await fake.draft())?.draftId ?? ''});
    await drain();
    expect(prompts(fake).at(-1)?.prompt).toContain('"api" was changed by somebody else');
    expect(fake.asked.at(-1)?.preview?.diff.changed).toMatchObject([{id: 'api'}]);
  });

  test('that the user edited goes back after a conflict with the edits', async () => {
    const fake = createPlanning({...refine, maxRefinements: 0}, {plan, runs});
    answering(fake, operations(edit('api', {title: 'The API'})));
    const {finished} = fake.start();
    await drain();
    await fake.say({type: 'plan.edit', edit: [{type: 'edit', taskId: 'api', fields: {title: 'My API'}}]});
    await drain();
    await fake.services.plans.update((current) => ({
      ...current,
      items: new Map(current.items).set('api', {...taskIn(current, 'api'), title: 'Mine'}),
    }));
    await fake.say({type: 'plan.postpone'});
    await finished;
    fake.start({type: 'open', draftId: (await fake.draft())?.draftId ?? ''});
    await drain();
    const {prompt} = prompts(fake).at(-1) ?? {};
    expect(prompt).toContain('"api" was changed by somebody else');
    expect(prompt).toContain('"fields":{"title":"My API"}');
  });

  test('of named tasks changes no other', async () => {
    const fake = createPlanning(
      {request: {type: 'new', wish: {kind: 'refine', text: 'Change it', taskIds: ['shop']}}},
      {plan, runs},
    );
    answering(fake, operations(edit('docs', {title: 'x'})), operations(edit('api', {title: 'x'})));
    fake.start();
    await drain();
    expect(prompts(fake)[1]?.prompt).toContain('edit "docs": only shop may change');
    expect(fake.asked.at(-1)?.preview?.diff.changed).toMatchObject([{id: 'api'}]);
  });

  test.each([
    {of: 'a task that runs', id: 'web', run_type: 'execute'},
    {of: 'a parent that is reviewed', id: 'shop', run_type: 'review'},
  ] as const)('of $of is refused, whatever the draft says', async ({id, run_type}) => {
    const running = runRecord({task_id: id, run_id: `${id}-1`, state: 'running', run_type});
    const fake = createPlanning(refine, {plan: withStatus(plan, 'shop', 'in_progress'), runs: [running]});
    answering(fake, operations(edit(id, {title: 'x'})));
    fake.start();
    await drain();
    await fake.say({type: 'plan.accept'});
    await drain();
    expect(fake.asked.at(-1)?.refusal).toMatchObject({code: 'E_TASK_RUNNING'});
  });
});

test('dependencies are inferred with their reasons, and nothing else changes', async () => {
  const plan = planOf(task('api'), task('web'));
  const fake = createPlanning(
    {
      request: {type: 'new', wish: {kind: 'deps', text: '', taskIds: []}},
      maxRefinements: 0,
      isAccepted: false,
    },
    {plan},
  );
  answering(
    fake,
    JSON.stringify({questions: [], dependencies: [{id: 'web', deps: [{id: 'api', reason: 'calls it'}]}]}),
  );
  const {finished} = fake.start();
  await drain();
  await fake.say({type: 'plan.accept'});
  await finished;
  expect(taskIn(await fake.services.plans.read(), 'web')).toMatchObject({
    deps: ['api'],
    depRationale: {api: 'calls it'},
  });
});

test('an impossible request is an error, and creates no draft', async () => {
  const fake = createPlanning({request: {type: 'new', wish: {...wish, text: ' '}}});
  expect(await fake.start().finished).toMatchObject({outcome: 'error', error: {code: 'E_NO_INPUT'}});
  expect(await fake.start({type: 'open', draftId: 'none'}).finished).toMatchObject({
    outcome: 'error',
    error: {code: 'E_DRAFT_NOT_FOUND'},
  });
  expect(await fake.draft()).toBeNull();
});

const doneAs = (actor: string, output: unknown) => ({type: `xstate.done.actor.${actor}`, output});
const errorsOf = (actors: readonly string[]) =>
  actors.map((actor) => ({type: `xstate.error.actor.${actor}`, error: 'no'}));

test('every transition of a turn is reached', () => {
  const run = restingRun({state: 'succeeded'});
  const prepared = {task: task('p'), run: runRecord(), order: {type: 'run.restart'}};
  expect(
    unreachedTransitions(planTurnMachine, {
      inputs: [{...input, draftId: 'd', modelChoice: {}}],
      payloads: [
        pause,
        doneAs('findTurnWait', null),
        doneAs('findTurnWait', {isTooLong: false}),
        doneAs('findTurnWait', {isTooLong: true}),
        doneAs('run', {
          outcome: 'paused',
          run: {...run, state: 'paused', failure: {kind: 'outage', message: ''}},
        }),
        doneAs('prepareTurn', prepared),
        doneAs('run', {outcome: 'succeeded', run}),
        doneAs('run', {outcome: 'failed', run}),
        doneAs('run', {outcome: 'paused', run}),
        doneAs('run', {outcome: 'error', run, error: 'no'}),
        doneAs('readAnswer', {type: 'operations'}),
        ...errorsOf(['findTurnWait', 'retryWait', 'prepareTurn', 'withdrawRun', 'run', 'readAnswer']),
      ],
    }),
  ).toEqual([]);
});

test('every transition is reached', () => {
  const rounds = {questions: 0, corrections: 0, refinements: 0};
  const draft = {draftId: 'd', kind: 'generate', phase: 'generating', questions: [], rounds, isEdited: false};
  const asking = {...draft, phase: 'asking'};
  const proposed = {...draft, phase: 'proposed'};
  const tired = {...proposed, rounds: {questions: 3, corrections: 2, refinements: 1}};
  const reading = (type: string, of: object = draft, blocking = 0) => ({
    type,
    draft: of,
    problems: [],
    blocking,
  });
  const turn = (outcome: string, read: object | null = null) =>
    doneAs('planTurn', {outcome, run: null, reading: read});
  const tell = ['answers', 'problems', 'findings', 'revision'];
  const actors = ['openDraft', 'planTurn', 'validateProposal', 'lintProposal', 'askQuestions', 'askDecision'];
  expect(
    unreachedTransitions(planGenerationMachine, {
      inputs: [input, {...input, isAttended: false}, {...input, isAttended: false, isAccepted: true}],
      payloads: [
        pause,
        doneAs('openDraft', draft),
        doneAs('openDraft', asking),
        doneAs('openDraft', proposed),
        turn('error'),
        turn('paused'),
        turn('failed'),
        turn('answered', reading('questions', asking)),
        turn('answered', reading('questions', {...asking, rounds: {...rounds, questions: 3}})),
        turn('answered', reading('unusable')),
        turn('answered', reading('unusable', tired)),
        turn('answered', reading('operations', proposed)),
        ...tell.map((why) => doneAs(why, draft)),
        doneAs('validateProposal', reading('unusable')),
        doneAs('validateProposal', reading('valid', proposed)),
        doneAs('lintProposal', reading('linted', proposed)),
        doneAs('lintProposal', reading('linted', proposed, 1)),
        doneAs('editProposal', proposed),
        {type: 'plan.edit', edit: []},
        ...errorsOf([...actors, ...tell, 'editProposal', 'saveProposal', 'dropDraft']),
      ],
      key: ({context: {draft, reading, isAttended, isAccepted}}) => [
        draft,
        reading?.type,
        reading?.blocking,
        isAttended,
        isAccepted,
      ],
    }),
  ).toEqual([]);
});
