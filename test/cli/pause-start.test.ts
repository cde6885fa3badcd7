import {expect, test} from 'vitest';
import type {CliContext} from '../../src/cli/context.ts';
import {exitCodes} from '../../src/cli/exit-codes.ts';
import {runCli} from '../../src/cli/program.ts';
import {demo, engineProject, pauseInTheMiddle} from '../helpers/engine-project.ts';
import {planOf, task} from '../helpers/plans.ts';

const surface = {isTerminal: false, columns: 80, hasColor: false};

const sleeper = () =>
  engineProject(planOf(task('a'), task('b')), {
    env: {BLACKBIRD_AGENT_CMD: 'exec sleep 60', PATH: process.env.PATH},
  });

/** A command in this process, interrupted this many turns of the event loop after signals are handled. */
async function interrupted(turns: number, project = sleeper(), args: readonly string[] = ['execute']) {
  const lines: string[] = [];
  const context: CliContext = {
    name: 'blackbird',
    version: '0',
    cwd: project.folder,
    env: project.env,
    out: (text) => lines.push(text),
    err: (text) => lines.push(text),
    write: () => {},
    writeErr: () => {},
    onSignals: (engine) => {
      const pauseAfter = (left: number) => {
        if (left > 0) setImmediate(pauseAfter, left - 1);
        else engine.pause('user_interrupt');
      };
      // A signal never arrives within a turn.
      setImmediate(pauseAfter, turns);
      return () => {};
    },
    ask: async () => null,
    readAll: async () => '',
    isInteractive: false,
    stdout: surface,
    stderr: surface,
    now: () => new Date().toISOString(),
  };
  const code = await runCli(args, context);
  return {project, code, lines};
}

test('Ctrl+C at any turn of the event loop from the command to its agent pauses', async () => {
  for (let turns = 0; ; turns += 1 + Math.floor(turns / 8)) {
    const {project, code, lines} = await interrupted(turns);
    expect({turns, code}).toEqual({turns, code: exitCodes.paused});
    expect(lines.join('\n')).toContain('Paused');
    expect(project.agents()).toEqual([]);
    expect(project.runs('b')).toEqual([]);
    const [run] = project.runs('a');
    // Before go there is nothing to resume; from then on a pause is one.
    if (run?.state !== 'paused') {
      expect([undefined, 'canceled']).toContain(run?.state);
      expect(project.statuses()).toEqual({a: 'todo', b: 'todo'});
      continue;
    }
    expect(project.statuses()).toEqual({a: 'in_progress', b: 'todo'});
    return;
  }
});

test('Ctrl+C at any turn of a resume with feedback keeps the text', async () => {
  const project = engineProject(planOf(task('a', {prompt: demo('write started x', 'sleep 60')})));
  await pauseInTheMiddle(project, 'a');
  for (const turns of [0, 2, 8]) {
    const words = `use tabs ${turns}`;
    const {code, lines} = await interrupted(turns, project, ['resume', 'a', '--feedback', words]);
    expect({turns, code}).toEqual({turns, code: exitCodes.paused});
    expect(lines.at(-1)).toMatch(
      /^Interrupted before a continued\. Your feedback is kept\.|blackbird restart a$/,
    );
    expect(project.text('.blackbird/drafts/a.feedback.json')).toContain(words);
  }
  expect(project.agents()).toEqual([]);
});
