// How long commands take in a project with very many run records: node scripts/bench-records.mjs [records]
import {spawnSync} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const count = Number(process.argv[2] ?? 100_000);
const perTask = 10;
const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'blackbird-records-'));
const at = '2026-01-01T00:00:00.000Z';
const items = {};
for (let index = 0; index * perTask < count; index++) {
  const id = `t${index}`;
  items[id] = {
    id,
    title: `Task ${index}`,
    description: '',
    acceptanceCriteria: [],
    prompt: 'demo: write x.txt done',
    parentId: null,
    childIds: [],
    deps: [],
    status: 'done',
    createdAt: at,
    updatedAt: at,
  };
  const runs = path.join(folder, '.blackbird', 'runs', id);
  fs.mkdirSync(runs, {recursive: true, mode: 0o700});
  for (let attempt = 1; attempt <= perTask; attempt++) {
    const run_id = `${id}-${attempt}`;
    const run = {
      schema_version: 1,
      run_id,
      task_id: id,
      run_type: 'execute',
      attempt,
      state: attempt === perTask ? 'succeeded' : 'failed',
      provider: 'demo',
      provider_session_ref: '',
      resumable: false,
      repo_root: folder,
      created_at: at,
      updated_at: at,
      segments: [],
      stdout: 'x'.repeat(500),
      stderr: '',
      exit_code: 0,
    };
    fs.writeFileSync(path.join(runs, `${run_id}.json`), `${JSON.stringify(run, null, 2)}\n`, {mode: 0o600});
  }
}
items.last = {...items.t0, id: 'last', title: 'The last task', status: 'todo'};
fs.writeFileSync(
  path.join(folder, 'blackbird.plan.json'),
  JSON.stringify({schemaVersion: 1, items}, null, 2),
);
fs.writeFileSync(path.join(folder, '.blackbird', 'agent.json'), '{"schemaVersion":1,"selectedAgent":"demo"}');
fs.chmodSync(path.join(folder, '.blackbird'), 0o700);

console.log(`${count} records of ${Object.keys(items).length} tasks`);
for (const command of ['list', 'next', 'runs t0', 'why last', 'status', 'doctor', 'execute last', 'report']) {
  const started = performance.now();
  const {status, stderr} = spawnSync(
    '/usr/bin/env',
    [process.execPath, path.join(root, 'dist/blackbird.cjs'), ...command.split(' ')],
    {cwd: folder, env: {PATH: process.env.PATH, HOME: folder}, encoding: 'utf8'},
  );
  const seconds = ((performance.now() - started) / 1000).toFixed(2);
  console.log(`${command.padEnd(14)} ${seconds.padStart(7)} s  exit code ${status} ${stderr.split('\n')[0]}`);
}
fs.rmSync(folder, {recursive: true, force: true});
