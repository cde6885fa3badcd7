import {Client} from '@modelcontextprotocol/sdk/client/index.js';
import {StdioClientTransport} from '@modelcontextprotocol/sdk/client/stdio.js';
import {expect, onTestFinished, test} from 'vitest';
import {argvOf} from '../../src/cli/mcp/mcp-tools.ts';
import {builtCli, builtProject} from '../helpers/built-cli.ts';
import {planOf, task} from '../helpers/plans.ts';

async function connected() {
  const project = builtProject(planOf(task('a'), task('b', {deps: ['a']})));
  const client = new Client({name: 'test', version: '1'});
  const args = [builtCli, 'mcp'];
  await client.connect(
    new StdioClientTransport({command: process.execPath, args, cwd: project.folder, env: project.env}),
  );
  onTestFinished(() => client.close());
  const call = async (name: string, input: Record<string, unknown> = {}) => {
    const {content, isError = false} = await client.callTool({name, arguments: input});
    const [{text}] = content as [{text: string}];
    return {isError, data: JSON.parse(text)};
  };
  return {project, client, call};
}

test('has tools to read and change the plan, and none that run or decide', async () => {
  const {client} = await connected();
  const {tools} = await client.listTools();
  const marked = tools.map(({name, annotations: {readOnlyHint, destructiveHint} = {}}) =>
    readOnlyHint ? name : `${name} ${destructiveHint ? '*' : '+'}`,
  );
  expect(marked).toEqual([
    'list_tasks',
    'show_task',
    'explain_task',
    'next_task',
    'add_task +',
    'edit_task *',
    'move_task *',
    'set_dependencies *',
    'set_status *',
    'read_runs',
    'read_report',
  ]);
});

test('the plan is read and changed as by the commands, with their refusals', async () => {
  const {project, call} = await connected();
  const evil = '--cwd=/ "$(x)"\n--json';
  const input = {id: 'n', title: evil, parentId: 'b', acceptanceCriteria: ['one', '--two']};
  expect(await call('add_task', input)).toEqual({isError: false, data: {id: 'n'}});
  expect(JSON.parse(project.planText()).items.n).toMatchObject({
    title: evil,
    parentId: 'b',
    acceptanceCriteria: ['one', '--two'],
  });
  expect((await call('next_task')).data.task).toMatchObject({id: 'a', readiness: 'READY'});
  expect((await call('edit_task', {taskId: 'n', title: 'N'})).isError).toBe(false);
  expect((await call('set_dependencies', {taskId: 'n', dependsOn: ['a']})).data).toMatchObject({deps: ['a']});
  expect((await call('move_task', {taskId: 'n', parentId: 'root', index: 0})).isError).toBe(false);
  expect((await call('set_status', {taskId: 'a', status: 'done'})).data).toMatchObject({status: 'done'});
  expect((await call('list_tasks', {which: 'all'})).data.tasks.map(({id}: {id: string}) => id)).toEqual([
    'n',
    'a',
    'b',
  ]);
  expect((await call('explain_task', {taskId: 'b'})).data).toMatchObject({id: 'b', ready: true});
  expect((await call('show_task', {taskId: 'n'})).data).toMatchObject({title: 'N', deps: ['a']});
  expect((await call('read_runs', {taskId: 'a'})).data).toMatchObject({runs: []});
  expect((await call('read_report')).isError).toBe(false);
  expect(await call('set_dependencies', {taskId: 'a', dependsOn: ['n']})).toMatchObject({
    isError: true,
    data: {error: {code: 'E_PLAN_EDIT', message: 'dependency cycle detected: a -> n -> a'}},
  });
  expect(await call('show_task', {taskId: '--help'})).toMatchObject({
    isError: true,
    data: {error: {code: 'E_TASK_NOT_FOUND'}},
  });
});

test('values never become options', () => {
  const call = {
    words: ['edit'],
    options: [
      ['--title', '--x'],
      ['--ac', ['a', '-b']],
      ['--notes', undefined],
    ] as const,
    values: ['--y'],
  };
  expect(argvOf(call, '/p')).toEqual([
    'edit',
    '--json',
    '--cwd=/p',
    '--title=--x',
    '--ac=a',
    '--ac=-b',
    '--',
    '--y',
  ]);
});
