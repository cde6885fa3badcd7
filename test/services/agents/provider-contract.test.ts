import {describe, expect, test} from 'vitest';
import {providers} from '../../../src/services/agents/providers.ts';
import type {AgentEnd, AgentRequest, AgentVerdict} from '../../../src/services/contracts/agent.ts';
import {providerIds, providerTable} from '../../../src/services/contracts/provider-table.ts';
import {providerLines, providerRef as ref} from '../../helpers/provider-lines.ts';
import {capabilities, request} from '../../helpers/run-provider.ts';

// What holds for every provider in the table. Its own arguments, lines and failures have tests of their own.

const hostileRefs = [
  '',
  ' ',
  '--last',
  '--continue',
  '-',
  'my-session',
  'latest',
  '../../etc/passwd',
  ref.toUpperCase(),
  ref.slice(0, -1),
  `${ref}0`,
  ref.replaceAll('-', ''),
  `${ref}\n`,
  ` ${ref}`,
  `${ref} --last`,
  `{${ref}}`,
  '0195d27e-46c6-4b0f-bd54-657f920eee8g',
];
const hostileWords = ['-x', '--model', 'a b', 'a"b', '', 'a\nb'];

describe.each(providerIds)('%s', (id) => {
  const provider = providers[id];
  const entry = providerTable[id];
  const lines = providerLines[id];
  const commandFor = (asked: Partial<AgentRequest>) => provider.command(request(asked), capabilities());
  const argsFor = (asked: Partial<AgentRequest>) => commandFor(asked).args;
  const starts = {kind: 'start'} as const;
  const resumes = {kind: 'resume', sessionRef: ref} as const;

  test('has the id, the title and the program of its entry in the table', () => {
    const {id: own, title, executable} = provider;
    const program = entry.program ?? process.execPath;
    expect({own, title, executable, runs: commandFor({}).file}).toEqual({
      own: id,
      title: entry.title,
      executable: program,
      runs: program,
    });
  });

  describe.each([starts, resumes])('when it $kind', (asked) => {
    test('has the prompt on stdin only', () => {
      const {args, stdin} = commandFor({...asked, prompt: '--help me'});
      expect({args, stdin}).toEqual({args: expect.not.arrayContaining(['--help me']), stdin: '--help me'});
    });

    test('is told when it may only read', () => {
      expect(argsFor({...asked, access: 'read-only'})).not.toEqual(argsFor({...asked, access: 'edit'}));
    });

    test('gets the model', () => {
      expect(argsFor({...asked, model: 'best-1'})).toContain('best-1');
    });

    const getsEffort = () => argsFor({...asked, effort: 'extreme'}).some((arg) => arg.includes('extreme'));

    test('gets the effort, if it has words for it', () => {
      if (entry.efforts !== null) expect(getsEffort()).toBe(true);
    });

    test('gets a limit of turns, if the table says that it has one', () => {
      const hasIt = argsFor({...asked, maxTurns: 77}).some((arg) => arg.includes('77'));
      expect(hasIt).toBe(entry.limitsTurns);
    });

    test.each(hostileWords)('never gets %j as model or effort', (word) => {
      expect(() => argsFor({...asked, model: word})).toThrow('cannot be an argument');
      if (getsEffort()) expect(() => argsFor({...asked, effort: word})).toThrow('cannot be an argument');
    });
  });

  test('resumes the session it is given', () => {
    expect(argsFor(resumes)).toContain(ref);
    expect(provider.isSessionRef(ref)).toBe(true);
    expect(() => argsFor({kind: 'resume', sessionRef: null})).toThrow('not a session ref: null');
  });

  test.each(hostileRefs)('neither resumes, starts nor reports the session %j', (bad) => {
    expect(provider.isSessionRef(bad)).toBe(false);
    expect(() => argsFor({kind: 'resume', sessionRef: bad})).toThrow('not a session ref');
    const canChoose = argsFor({sessionRef: ref}).includes(ref);
    if (canChoose) expect(() => argsFor({sessionRef: bad})).toThrow('not a session ref');
    const announced = lines.session.replace(ref, JSON.stringify(bad).slice(1, -1));
    expect(provider.parseLine(announced).filter(({type}) => type === 'session')).toEqual([]);
  });

  test('reports its session, its messages and its result', () => {
    expect(provider.parseLine(lines.session)[0]).toEqual({type: 'session', ref});
    expect(provider.parseLine(lines.progress)).toContainEqual({type: 'message', text: 'on it'});
    expect(provider.parseLine(lines.result)).toContainEqual(
      expect.objectContaining({type: 'result', result: expect.objectContaining({ok: true})}),
    );
  });

  test('reports its cost if the table says so, and only then', () => {
    const costs = provider
      .parseLine(lines.result)
      .flatMap((event) => (event.type === 'usage' ? [event.usage.cost_usd !== undefined] : []));
    expect(costs.includes(true)).toBe(entry.tellsCost);
  });

  const judged = (end: Partial<AgentEnd>): AgentVerdict =>
    provider.judge({kind: 'start', result: null, exitCode: 0, signal: null, stderrTail: '', ...end});

  test('succeeds with a result, and never with an exit code alone', () => {
    expect(judged({result: {ok: true, text: 'on it'}})).toEqual({outcome: 'succeeded', text: 'on it'});
    expect(judged({})).toMatchObject({outcome: 'failed', failure: {kind: 'agent_error'}});
    expect(judged({result: {ok: false, text: ''}})).toMatchObject({outcome: 'failed'});
  });

  test('has its resume rejected when it does not know the session', () => {
    expect(judged({kind: 'resume', exitCode: 1, stderrTail: lines.unknownSession})).toMatchObject({
      outcome: 'failed',
      failure: {kind: 'resume_rejected'},
    });
  });

  test('is recognised as logged out by what it prints', () => {
    const {loginStatus} = entry;
    expect(loginStatus === null, 'the table and test/helpers/provider-lines.ts').toBe(
      lines.loggedOut === null,
    );
    if (loginStatus !== null) expect(lines.loggedOut).toMatch(loginStatus.loggedOut);
  });
});
