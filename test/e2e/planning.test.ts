import {describe, expect, test} from 'vitest';
import {engineProject} from '../helpers/engine-project.ts';
import {eventually} from '../helpers/eventually.ts';
import {draftsIn, turnsOf} from '../helpers/plan-drafts.ts';
import {planOf, task} from '../helpers/plans.ts';
import {hasTmux, openTerminal} from '../helpers/terminal.ts';

// The built program and the built-in agent, from a sentence to a plan.

const wish = (...lines: readonly string[]) => lines.join('\n');
const nothing = planOf();
const vague = JSON.stringify({tasks: [{id: 'api', title: 'API'}]});

describe('without a terminal', () => {
  test('a proposal is a draft until it is accepted, and what is shown is what is saved', async () => {
    const project = engineProject(nothing);
    // A list is not an option.
    const list = '- A refund endpoint\n- A refund e2e test';
    const first = await project.run(['plan', 'generate', list, '--no-wait']);
    expect(first).toMatchObject({code: 4, err: ''});
    expect(first.out).toContain('+ a-refund-endpoint  A refund endpoint\n+ a-refund-e2e-test');
    expect(project.statuses()).toEqual({});
    const [draft] = draftsIn(project);
    const id = draft?.draftId ?? '';
    expect((await project.run(['plan', 'drafts'])).out).toContain(`${id}  generate  proposed`);
    expect(await project.run(['plan', 'drafts', 'open', id, '--yes'])).toMatchObject({code: 0, err: ''});
    expect(project.statuses()).toEqual({'a-refund-endpoint': 'todo', 'a-refund-e2e-test': 'todo'});
    expect(turnsOf(project, id)).toHaveLength(1);
    expect((await project.run(['plan', 'drafts'])).out).toBe('no drafts\n');

    // The demo agent does what the demo agent planned.
    expect(await project.run(['execute'])).toMatchObject({code: 0});
    expect(project.text('notes/a-refund-endpoint.md')).toBe('A refund endpoint\n');
  });

  test('a description comes from a file or from stdin, and scripts get events', async () => {
    const project = engineProject(nothing);
    project.write('spec.md', '# Spec\n\n- Store refunds\n- Log refunds\n');
    const {code, out} = await project.run(['plan', 'generate', '--from', 'spec.md', '--yes', '--json']);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(code).toBe(0);
    expect(events.map(({event}) => event)).toEqual(expect.arrayContaining(['plan.started', 'plan.proposed']));
    expect(events.at(-1)).toMatchObject({event: 'job.stopped', plan: {outcome: 'saved'}});
    expect(project.statuses()).toEqual({'store-refunds': 'todo', 'log-refunds': 'todo'});

    const inferred = await project.run(['deps', 'infer', '--yes']);
    expect(inferred.out).toContain('+ waits for store-refunds');
    const refined = await project.run(['plan', 'refine', 'in cents', 'log-refunds', '--yes']);
    expect([refined.code, refined.out]).toEqual([0, expect.stringContaining('~ log-refunds')]);
    expect(project.planText()).toContain('in cents');
  });

  test('a wrong answer is corrected, a vague one refined, a question left open', async () => {
    const project = engineProject(nothing);
    const text = wish(
      'demo: answer {"tasks":[{"id":"x y"}]}',
      `demo: answer ${vague}`,
      'demo: ask db Which?|pg',
      '- Store',
    );
    const first = await project.run(['plan', 'generate', text, '--yes']);
    expect(first.code).toBe(4);
    expect(first.out).toMatch(
      /its answer cannot be used: sent back(.|\n)*quality gate sends it back, pass 1/,
    );
    const [draft] = draftsIn(project);
    const id = draft?.draftId ?? '';
    const missing = await project.run(['plan', 'drafts', 'open', id, '--answer', 'who=me']);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining('no question is called "who"')]);
    const second = await project.run(['plan', 'drafts', 'open', id, '--answer', 'db=pg', '--yes']);
    expect([second.code, second.err]).toEqual([0, '']);
    expect(project.statuses()).toEqual({store: 'todo'});
  });

  test('a draft is dropped, and an unknown one is reported', async () => {
    const project = engineProject(nothing);
    await project.run(['plan', 'generate', 'Something']);
    const id = draftsIn(project)[0]?.draftId ?? '';
    expect((await project.run(['plan', 'drafts', 'drop', id])).out).toBe(`dropped ${id}\n`);
    expect(draftsIn(project)).toEqual([]);
    const gone = await project.run(['plan', 'drafts', 'open', id]);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining('E_DRAFT_NOT_FOUND')]);
  });

  test('a Blackbird that is killed while its planner works leaves a draft that can continue', async () => {
    const project = engineProject(nothing);
    const planning = project.start([
      'plan',
      'generate',
      wish('demo: print hello', 'demo: sleep 60', '- Store'),
    ]);
    await eventually(() => expect(project.agents().length).toBeGreaterThan(0));
    const id = draftsIn(project)[0]?.draftId ?? '';
    await eventually(() => expect(turnsOf(project, id)).toMatchObject([{state: 'running', resumable: true}]));
    process.kill(planning.pid, 'SIGKILL');
    await planning.ended;
    await eventually(() => expect(project.agents()).toEqual([]));
    expect(await project.run(['plan', 'drafts', 'open', id, '--yes'])).toMatchObject({code: 0, err: ''});
    expect(turnsOf(project, id).map(({state}) => state)).toEqual(['paused', 'succeeded']);
    expect(project.statuses()).toEqual({store: 'todo'});
  });
});

describe.skipIf(!hasTmux)('in a terminal (tmux)', () => {
  test('asks, shows what changes, is revised and saved', async () => {
    const project = engineProject(planOf(task('old')));
    project.write('wish.txt', wish('demo: ask db Which database?|pg|sqlite', '- Store refunds'));
    const terminal = openTerminal(project);
    terminal.type('blackbird plan generate --from wish.txt');
    await terminal.until('Number or your own answer:');
    // The second line is typed before there is a proposal to agree to.
    terminal.press('2', 'Enter', 'y', 'Enter');
    const shown = await terminal.until('[y]es, [s]how, [r]evise, [d]rop, [l]ater:');
    expect(terminal.screen()).toContain('+ store-refunds  Store refunds');
    expect(shown).not.toContain('old');
    // Enter alone chooses nothing.
    terminal.type('');
    await terminal.until('Nothing is chosen yet: y saves it');
    terminal.type('v');
    await terminal.until('"v" is not one of the choices: y saves it');
    terminal.type('s');
    await terminal.until('Create notes/store-refunds.md and verify');
    terminal.type('r');
    await terminal.until('What should be different?');
    // Half a sentence survives Ctrl+C.
    terminal.press('Log refunds');
    await eventually(() => expect(terminal.screen()).toContain('Log refunds'));
    terminal.press('C-c');
    await terminal.until('[130]>');
    terminal.type(`blackbird plan drafts open ${draftsIn(project)[0]?.draftId}`);
    await eventually(() => expect(terminal.screen()).toMatch(/\[l\]ater: *\n*$/));
    terminal.type('r');
    await terminal.until('You started to write this; Enter alone sends it:');
    terminal.type('');
    await eventually(() => expect(terminal.screen()).toContain('+ log-refunds  Log refunds'));
    terminal.type('y');
    await terminal.until('The plan is saved.');
    expect(project.statuses()).toEqual({old: 'todo', 'store-refunds': 'todo', 'log-refunds': 'todo'});
    expect(draftsIn(project)).toEqual([]);
  });

  const steps = [
    {
      at: 'the planner works',
      text: wish('demo: print hello', 'demo: sleep 60', '- Store'),
      until: '',
    },
    {at: 'a question', text: wish('demo: ask db Which?', '- Store'), until: 'Answer:'},
    {at: 'the decision', text: '- Store', until: '[l]ater:'},
  ] as const;
  test.each(steps)('Ctrl+C at $at leaves nothing running and loses nothing', async ({text, until}) => {
    const project = engineProject(nothing);
    project.write('wish.txt', text);
    const terminal = openTerminal(project);
    terminal.type('blackbird plan generate --from wish.txt');
    if (until === '') {
      await eventually(() =>
        expect(turnsOf(project, draftsIn(project)[0]?.draftId ?? '')).toMatchObject([{resumable: true}]),
      );
    } else await terminal.until(until);
    terminal.press('C-c');
    await terminal.until('[130]>');
    expect(project.agents()).toEqual([]);
    expect(project.statuses()).toEqual({});
    const [draft] = draftsIn(project);
    expect(draft).toMatchObject({text: expect.stringContaining('- Store')});
    const id = draft?.draftId ?? '';
    const answers = draft?.questions.length ? ['--answer', 'db=pg'] : [];
    expect(await project.run(['plan', 'drafts', 'open', id, ...answers, '--yes'])).toMatchObject({
      code: 0,
      err: '',
    });
    expect(project.statuses()).toEqual({store: 'todo'});
  });
});
