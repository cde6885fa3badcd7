import {mkdirSync, writeFileSync} from 'node:fs';
import path from 'node:path';
import {describe, expect, test} from 'vitest';
import {exitCodeAfter, exitCodeOf, exitCodes} from '../../src/cli/exit-codes.ts';
import {planOf, task} from '../helpers/plans.ts';
import {cliProject, controlCharacters, lines} from '../helpers/run-cli.ts';

const broken = () => {
  throw new TypeError('the clock is \u001b[31mbroken');
};

test('exit codes are those of docs/errors.md', () => {
  expect(exitCodes).toEqual({
    done: 0,
    error: 1,
    usage: 2,
    taskFailed: 3,
    personNeeded: 4,
    timeNeeded: 75,
    paused: 130,
  });
  expect(exitCodeAfter).toEqual({done: 0, failed: 3, personNeeded: 4, timeNeeded: 75, paused: 130});
  const usage = ['E_USAGE', 'E_TASK_ID', 'E_CONFIG', 'E_NO_INPUT'] as const;
  expect(usage.map(exitCodeOf)).toEqual([2, 2, 2, 2]);
  const held = ['E_PROVIDER_UNAVAILABLE', 'E_PROVIDER_REFUSED', 'E_BUDGET', 'E_PLAN_INVALID'] as const;
  expect(held.map(exitCodeOf)).toEqual([75, 4, 4, 1]);
});

describe('an unexpected error', () => {
  test('is a bug with a stack, and nothing is written', async () => {
    const project = cliProject(planOf(task('a')));
    const before = project.planText();
    const {code, out, err} = await project.run(['set-status', 'a', 'done'], {now: broken});
    expect({code, out}).toEqual({code: 1, out: ''});
    const [first, second, ...stack] = err.trimEnd().split('\n');
    expect(first).toBe('error: this is a bug in Blackbird 1.2.3, please report it');
    expect(second).toBe('TypeError: the clock is broken');
    expect(stack[0]).toMatch(/^ +at .*errors\.test\.ts/);
    expect(project.planText()).toBe(before);
    expect(project.files().filter((file) => file.includes('tmp'))).toEqual([]);
  });

  test('does not leave the plan locked', async () => {
    const project = cliProject(planOf(task('a')));
    await project.run(['set-status', 'a', 'done'], {now: broken});
    expect((await project.run(['set-status', 'a', 'done'])).code).toBe(0);
  });

  test('is reported to a script as well', async () => {
    const {code, error} = await cliProject(planOf(task('a'))).error(['edit', 'a', '--title', 'x'], {
      now: broken,
    });
    expect({code, error}).toEqual({
      code: 1,
      error: {
        code: 'E_BUG',
        message: 'the clock is \u001b[31mbroken',
        stack: expect.stringMatching(/^TypeError: /),
      },
    });
  });

  test('may be any thrown value', async () => {
    const {code, err} = await cliProject(planOf(task('a'))).run(['set-status', 'a', 'done'], {
      now: () => {
        throw 'just a word';
      },
    });
    expect({code, err}).toEqual({
      code: 1,
      err: lines('error: this is a bug in Blackbird 1.2.3, please report it', 'just a word'),
    });
  });
});

describe('an expected error', () => {
  test('uses colour when the terminal does', async () => {
    const e = '\u001b[';
    const {err} = await cliProject(planOf(task('known'))).run(['show', 'x'], {terminal: {hasColor: true}});
    expect(err).toBe(
      lines(
        `${e}31merror:${e}39m unknown id "x"`,
        `  ${e}2mcode${e}22m  E_TASK_NOT_FOUND`,
        `  ${e}2mnext${e}22m  blackbird list --all  ${e}2msee every task${e}22m`,
      ),
    );
  });

  test('fits the terminal: the message breaks between words, and reasons that are too wide go below', async () => {
    const project = cliProject(planOf(task('a')));
    const {err} = await project.run(['execute'], {terminal: {columns: 60}});
    expect(err).toBe(
      lines(
        'error: the agent Claude Code cannot be used: claude is not',
        '  on the PATH, nor is any other agent',
        '  provider  claude',
        '  code      E_AGENT_NOT_FOUND',
        '  next      npm install -g @anthropic-ai/claude-code',
        '              or put claude on your PATH',
        '            npm install -g @openai/codex',
        '              or use Codex instead',
        '            blackbird demo',
        '              or watch the built-in demo agent: no account',
        '                is needed',
        '            blackbird agents',
        '              see what is installed',
      ),
    );
  });

  test('shows no control characters in message, labels, values, causes and next steps', async () => {
    const id = 'a\u202eb\u2066';
    const wrong = cliProject(planOf(task(`x\u009b31m${id}`, {title: ''})));
    const known = cliProject(planOf(task(id)));
    for (const {err} of [
      await wrong.run(['list']),
      await known.run(['show', 'a\u202ec\u2066']),
      await known.run(['show', '\u001b[2J\u009b31m']),
      await known.run(['show', '\u001b[2J\u009b31m', '--json']),
      await known.run(['\u001b]0;title\u0007']),
      await known.run(['list', '--\u001b[2J']),
      await known.run(['list', '--cwd', '\u001b[2J']),
      await known.run(['config', 'get', '\u001b[2J\u009b']),
    ]) {
      expect(err).toMatch(/^(error: |\{"error":)/);
      expect(err).not.toMatch(controlCharacters);
    }
  });

  test('shows none in the names of folders', async () => {
    const {folder, run} = cliProject();
    const odd = path.join(folder, 'odd\u001b[31m\u009b2J\u202e');
    mkdirSync(odd);
    const texts = [await run(['list'], {cwd: odd}), await run(['init'], {cwd: odd})];
    writeFileSync(path.join(odd, 'blackbird.plan.json'), '{}');
    texts.push(await run(['validate'], {cwd: odd}), await run(['list'], {cwd: odd}));
    writeFileSync(path.join(odd, 'blackbird.plan.json'), '');
    texts.push(await run(['validate'], {cwd: odd}), await run(['validate', '--json'], {cwd: odd}));
    for (const {out, err} of texts) {
      expect(out + err).toContain('odd');
      expect(out + err).not.toMatch(controlCharacters);
    }
  });

  test('a message of several lines stays under its label', async () => {
    const {err} = await cliProject(planOf()).run(['show', 'a\nb']);
    expect(err).toContain('error: unknown id "a\\nb"\n');
  });
});
