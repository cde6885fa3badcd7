import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import {describe, expect, onTestFinished, test} from 'vitest';
import {demoProvider} from '../../../src/services/agents/demo.ts';
import {exampleValue} from '../../../src/services/agents/example-value.ts';
import type {AgentEvent, AgentRequest} from '../../../src/services/contracts/agent.ts';
import {reviewAnswerSchema} from '../../../src/services/contracts/review-answer.ts';
import {identifyProcess} from '../../../src/services/system/process-identity.ts';
import {capabilities, type ProviderRun, request, runProvider, sessionOf} from '../../helpers/run-provider.ts';
import {temporaryFolder} from '../../helpers/temp-folder.ts';

const ref = '0195d27e-46c6-4b0f-bd54-657f920eee8d';

function startDemo(
  cwd: string,
  asked: Partial<AgentRequest>,
  env: Record<string, string> = {},
): Promise<ProviderRun> {
  const {PATH} = process.env;
  return runProvider(demoProvider, request(asked), {cwd, env: {PATH, ...env}, capabilities: capabilities()});
}

const messages = ({events}: ProviderRun) =>
  events.flatMap((event) => (event.type === 'message' ? [event.text] : []));
const isCommand = (event: AgentEvent) => event.type === 'activity' && event.activity.kind === 'command';
const isAlive = (pid: number) => identifyProcess(pid) !== null;

describe('a turn', () => {
  test('follows the directives of the prompt, in order, and ends with a result', async () => {
    const cwd = temporaryFolder();
    const prompt = [
      'Please do this:',
      'demo: print Let me see',
      '  demo: write notes/a.txt one\\ntwo',
      'demo: append notes/a.txt three',
      'demo: write notes/a.txt 1',
      'a demo: print never',
    ].join('\n');

    const run = await startDemo(cwd, {prompt, sessionRef: ref});

    expect(await run.ended).toEqual({
      verdict: {outcome: 'succeeded', text: 'Done.'},
      exitCode: 0,
      signal: null,
      stderr: '',
    });
    const doing = (kind: string, text: string) => ({type: 'activity', activity: {kind, text}});
    expect(run.events).toEqual([
      {type: 'session', ref},
      {type: 'turn'},
      {type: 'message', text: 'Let me see'},
      doing('message', 'Let me see'),
      doing('edit', 'edit notes/a.txt +2 −0'),
      doing('edit', 'edit notes/a.txt +1 −0'),
      doing('edit', 'edit notes/a.txt +1 −3'),
      {type: 'message', text: 'Done.'},
      doing('message', 'Done.'),
      {type: 'usage', usage: {input_tokens: Math.ceil(prompt.length / 4), output_tokens: 2}},
      {type: 'result', result: {ok: true, text: 'Done.'}},
    ]);
    expect(readFileSync(path.join(cwd, 'notes/a.txt'), 'utf8')).toBe('1\n');
    expect(statSync(path.join(cwd, '.blackbird/demo-sessions', `${ref}.json`)).mode & 0o777).toBe(0o600);
  });

  test('keeps its sessions in the given folder', async () => {
    const cwd = temporaryFolder();
    const home = temporaryFolder();
    const run = await startDemo(cwd, {}, {BLACKBIRD_DEMO_HOME: home});
    await run.ended;
    expect(readdirSync(home)).toEqual([`${await sessionOf(run)}.json`]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('can fail', async () => {
    const run = await startDemo(temporaryFolder(), {
      prompt: 'demo: print a\ndemo: fail out of ideas\ndemo: print b',
    });
    expect(await run.ended).toEqual({
      verdict: {outcome: 'failed', failure: {kind: 'agent_error', message: 'out of ideas'}, text: 'a'},
      exitCode: 1,
      signal: null,
      stderr: '',
    });
    expect(messages(run)).toEqual(['a']);
  });

  test('fails to reach its model as often as directed, says when to retry, and then continues', async () => {
    const cwd = temporaryFolder();
    const prompt = 'demo: outage 2 30\ndemo: print back';
    const first = await startDemo(cwd, {prompt, sessionRef: ref});
    const again = async () => startDemo(cwd, {kind: 'resume', prompt: 'go on', sessionRef: ref});
    const down = {outcome: 'failed', failure: {kind: 'outage', reset_at: expect.any(String)}};
    expect((await first.ended).verdict).toMatchObject(down);
    expect((await (await again()).ended).verdict).toMatchObject(down);
    const last = await again();
    expect((await last.ended).verdict).toMatchObject({outcome: 'succeeded'});
    expect(messages(last)).toContain('back');
  });

  test('can exit without a result', async () => {
    const run = await startDemo(temporaryFolder(), {prompt: 'demo: exit 0'});
    expect((await run.ended).verdict).toEqual({
      outcome: 'failed',
      failure: {kind: 'agent_error', message: 'the agent gave no result (exit code 0)'},
      text: '',
    });
  });

  test('can print a lot', async () => {
    const run = await startDemo(temporaryFolder(), {prompt: 'demo: lines 20000'});
    await run.ended;
    const printed = run.events.flatMap((event) =>
      event.type === 'activity' && event.activity.kind === 'output' ? [event.activity.text] : [],
    );
    expect(printed).toEqual(Array.from({length: 20_000}, (_, index) => `line ${index + 1}`));
  });

  test('can keep running after its result, which still counts', async () => {
    const run = await startDemo(temporaryFolder(), {prompt: 'demo: linger 600\ndemo: answer here'});
    await run.until(({type}) => type === 'result');
    run.signal('SIGKILL');
    expect(await run.ended).toEqual({
      verdict: {outcome: 'succeeded', text: 'here'},
      exitCode: null,
      signal: 'SIGKILL',
      stderr: '',
    });
  });

  test('can leave a process behind, in another session', async () => {
    const run = await startDemo(temporaryFolder(), {prompt: 'demo: spawn-sleeper'});
    await run.ended;
    const pid = Number(messages(run)[0]?.replace('sleeper ', ''));
    onTestFinished(() => {
      process.kill(pid, 'SIGKILL');
    });
    expect(isAlive(pid)).toBe(true);
    expect(() => process.kill(-pid, 0)).not.toThrow();
  });

  test('reports an unknown directive', async () => {
    const run = await startDemo(temporaryFolder(), {prompt: 'demo: dance'});
    await run.ended;
    expect(messages(run)).toEqual(['I do not know how to dance.', 'Done.']);
  });

  test('answers with a schema', async () => {
    const answerSchema = {
      type: 'object',
      required: ['passed', 'resumeTaskIds', 'feedback'],
      properties: {passed: {type: 'boolean'}, resumeTaskIds: {type: 'array'}, feedback: {type: 'string'}},
    };
    const run = await startDemo(temporaryFolder(), {answerSchema});
    expect((await run.ended).verdict).toEqual({
      outcome: 'succeeded',
      text: '{"passed":true,"resumeTaskIds":[],"feedback":""}',
    });
  });
});

describe('files', () => {
  test.each(['../outside.txt', '/outside.txt', '.', 'away/outside.txt', 'dangling', 'a/../../outside.txt'])(
    '%s is refused',
    async (target) => {
      const outer = temporaryFolder();
      const cwd = path.join(outer, 'project');
      mkdirSync(cwd);
      symlinkSync(outer, path.join(cwd, 'away'));
      symlinkSync(path.join(outer, 'outside.txt'), path.join(cwd, 'dangling'));

      const run = await startDemo(cwd, {prompt: `demo: write ${target} x`});

      expect((await run.ended).verdict).toEqual({
        outcome: 'failed',
        failure: {
          kind: 'agent_error',
          message: `refused to write ${target}: not below the working directory`,
        },
        text: '',
      });
      expect(readdirSync(outer)).toEqual(['project']);
    },
  );

  test('are not written when access is read-only', async () => {
    const cwd = temporaryFolder();
    const run = await startDemo(cwd, {prompt: 'demo: write a.txt x', access: 'read-only'});
    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: 'Done.'});
    expect(messages(run)).toEqual(['Read-only: a.txt stays as it is.', 'Done.']);
    expect(existsSync(path.join(cwd, 'a.txt'))).toBe(false);
  });
});

describe('a reviewer', () => {
  const prompt = 'demo: send-back a a.txt Write a.txt.\\nNow.\ndemo: send-back b b.txt Write b.txt.';
  const answerOf = async (cwd: string, fields: {answerSchema?: typeof reviewAnswerSchema}) =>
    (await (await startDemo(cwd, {prompt, access: 'read-only', ...fields})).ended).verdict;
  const result = (taskId: string, feedback: string) => ({taskId, status: 'failed', feedback});

  test('sends back the tasks whose files are missing, and passes once they exist', async () => {
    const cwd = temporaryFolder();
    const answerSchema = reviewAnswerSchema;
    const answer = async () => JSON.parse((await answerOf(cwd, {answerSchema})).text);
    expect(await answer()).toEqual({
      passed: false,
      resumeTaskIds: ['a', 'b'],
      feedbackForResume: '',
      reviewResults: [result('a', 'Write a.txt.\nNow.'), result('b', 'Write b.txt.')],
    });
    writeFileSync(path.join(cwd, 'a.txt'), '');
    expect(await answer()).toMatchObject({passed: false, resumeTaskIds: ['b']});
    writeFileSync(path.join(cwd, 'b.txt'), '');
    expect(await answer()).toEqual({
      passed: true,
      resumeTaskIds: [],
      feedbackForResume: '',
      reviewResults: [],
    });
  });

  test('reviews only when asked for such an answer', async () => {
    expect(await answerOf(temporaryFolder(), {})).toEqual({outcome: 'succeeded', text: 'Done.'});
  });
});

describe('a session', () => {
  const prompt =
    'demo: append log.txt before\ndemo: print working\ndemo: sleep 600\ndemo: append log.txt after';
  const log = (cwd: string) => readFileSync(path.join(cwd, 'log.txt'), 'utf8');

  test.each([
    {signal: 'SIGINT', end: {exitCode: 1, signal: null}, how: 'exit code 1'},
    {signal: 'SIGKILL', end: {exitCode: null, signal: 'SIGKILL'}, how: 'ended by SIGKILL'},
  ] as const)('continues after $signal with the remaining directives', async ({signal, end, how}) => {
    const cwd = temporaryFolder();
    const first = await startDemo(cwd, {prompt});
    const sessionRef = await sessionOf(first);
    await first.until(isCommand);
    first.signal(signal);
    expect(await first.ended).toEqual({
      verdict: {
        outcome: 'failed',
        failure: {kind: 'agent_error', message: `the agent gave no result (${how})`},
        text: 'working',
      },
      ...end,
      stderr: '',
    });
    expect(log(cwd)).toBe('before\n');

    const second = await startDemo(cwd, {kind: 'resume', sessionRef, prompt: 'Go on.'});

    expect((await second.ended).verdict).toEqual({outcome: 'succeeded', text: 'Done.'});
    expect(await sessionOf(second)).toBe(sessionRef);
    expect(messages(second)).toEqual(['Resumed. I know 2 earlier messages.', 'Done.']);
    expect(log(cwd)).toBe('before\nafter\n');
  });

  test('takes new directives from feedback and repeats none it knows', async () => {
    const cwd = temporaryFolder();
    const first = await startDemo(cwd, {prompt: 'demo: append log.txt one'});
    await first.ended;
    const second = await startDemo(cwd, {
      kind: 'resume',
      sessionRef: await sessionOf(first),
      prompt: 'demo: append log.txt one\nPlease also:\ndemo: append log.txt two',
    });
    expect((await second.ended).verdict).toEqual({outcome: 'succeeded', text: 'Done.'});
    expect(log(cwd)).toBe('one\ntwo\n');
  });

  test('asks, ends its turn, and continues with the answer', async () => {
    const cwd = temporaryFolder();
    const first = await startDemo(cwd, {
      prompt: 'demo: ask color Which color? | red | light blue\ndemo: append log.txt painted',
    });
    const question = {
      blackbird: {questions: [{id: 'color', prompt: 'Which color?', options: ['red', 'light blue']}]},
    };
    expect(await first.ended).toEqual({
      verdict: {
        outcome: 'succeeded',
        text: `I need an answer.\n\`\`\`json\n${JSON.stringify(question)}\n\`\`\``,
      },
      exitCode: 0,
      signal: null,
      stderr: '',
    });
    expect(existsSync(path.join(cwd, 'log.txt'))).toBe(false);

    const second = await startDemo(cwd, {
      kind: 'resume',
      sessionRef: await sessionOf(first),
      prompt: 'color: red',
    });
    expect((await second.ended).verdict).toEqual({outcome: 'succeeded', text: 'Done.'});
    expect(log(cwd)).toBe('painted\n');
  });

  test('asks without options', async () => {
    const run = await startDemo(temporaryFolder(), {prompt: 'demo: ask name What is it called?'});
    expect((await run.ended).verdict.text).toContain(
      '{"blackbird":{"questions":[{"id":"name","prompt":"What is it called?"}]}}',
    );
  });

  test('is not stopped by SIGINT when directed to ignore it', async () => {
    const run = await startDemo(temporaryFolder(), {
      prompt: 'demo: ignore-sigint\ndemo: sleep 0.3\ndemo: print still here',
    });
    await run.until(isCommand);
    run.signal('SIGINT');
    expect((await run.ended).verdict).toEqual({outcome: 'succeeded', text: 'Done.'});
    expect(messages(run)).toEqual(['still here', 'Done.']);
  });

  test('that is unknown cannot be resumed', async () => {
    const cwd = temporaryFolder();
    const run = await startDemo(cwd, {kind: 'resume', sessionRef: ref, prompt: 'demo: write a.txt x'});
    expect(await run.ended).toEqual({
      verdict: {
        outcome: 'failed',
        failure: {kind: 'resume_rejected', message: `no demo session ${ref}`},
        text: '',
      },
      exitCode: 1,
      signal: null,
      stderr: `no demo session ${ref}\n`,
    });
    expect(run.events).toEqual([]);
    expect(readdirSync(cwd)).toEqual([]);
  });

  test('cannot be started twice', async () => {
    const cwd = temporaryFolder();
    await (await startDemo(cwd, {sessionRef: ref})).ended;
    const again = await startDemo(cwd, {sessionRef: ref});
    expect((await again.ended).verdict).toEqual({
      outcome: 'failed',
      failure: {
        kind: 'agent_error',
        message: `the agent gave no result (exit code 1): demo session ${ref} already exists`,
      },
      text: '',
    });
  });
});

test.each([
  {schema: {const: 1}, value: 1},
  {schema: {enum: ['b', 'a']}, value: 'b'},
  {schema: {oneOf: [{type: 'string'}, {type: 'null'}]}, value: ''},
  {schema: {anyOf: [{type: 'integer'}]}, value: 0},
  {schema: {type: 'object', required: ['a'], properties: {a: {type: 'number'}, b: {}}}, value: {a: 0}},
  {
    schema: {type: 'object', required: ['__proto__'], properties: {}},
    value: JSON.parse('{"__proto__":null}'),
  },
  {schema: {type: ['string', 'null']}, value: null},
  {schema: {oneOf: 'nonsense'}, value: null},
])('the simplest value of $schema', ({schema, value}) => {
  expect(exampleValue(schema)).toEqual(value);
});
