// Measures the inspector's page with a job of 2,000 tasks: from the command to an address, from the address to rows
// that can be read, what was transferred and drawn for it, and how the rows scroll. Linux, with a Chromium.
import {spawn} from 'node:child_process';
import {mkdirSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {chromium} from 'playwright-core';

const program = fileURLToPath(new URL('../dist/blackbird.cjs', import.meta.url));
const [tasks = 2_000, rounds = 5] = process.argv.slice(2).map(Number);
const executablePath = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium';
const around = mkdtempSync(path.join(tmpdir(), 'blackbird-bench-inspect-'));
const start = Date.parse('2026-01-10T22:00:00.000Z');
const at = (seconds) => new Date(start + seconds * 1000).toISOString();
const jobId = '20260110-220000-3fa9c1';

/** Twenty tasks to a parent, a minute each; every fiftieth failed, every hundredth waited for a limit. */
function project() {
  const items = {};
  const runs = [];
  const add = (fields) => {
    const times = {createdAt: at(0), updatedAt: at(0)};
    items[fields.id] = {description: '', acceptanceCriteria: [], deps: [], ...times, ...fields};
  };
  for (let number = 0; number < tasks; number++) {
    const [id, group] = [`task-${number}`, `group-${Math.floor(number / 20)}`];
    if (number % 20 === 0) {
      const childIds = Array.from(
        {length: Math.min(20, tasks - number)},
        (_, place) => `task-${number + place}`,
      );
      add({
        id: group,
        title: `Part ${group} of the work`,
        prompt: '',
        parentId: null,
        childIds,
        status: 'todo',
      });
    }
    const isFailed = number % 50 === 0;
    const title = `What is to be done as number ${number}`;
    add({id, title, prompt: 'do it', parentId: group, childIds: [], status: isFailed ? 'failed' : 'done'});
    runs.push(recordOf(id, number, isFailed));
  }
  const folder = path.join(around, 'project');
  mkdirSync(path.join(folder, '.blackbird', 'jobs'), {recursive: true});
  writeFileSync(path.join(folder, 'blackbird.plan.json'), JSON.stringify({schemaVersion: 1, items}));
  for (const run of runs) {
    const place = path.join(folder, '.blackbird', 'runs', run.task_id);
    mkdirSync(place, {recursive: true});
    writeFileSync(path.join(place, `${run.run_id}.json`), JSON.stringify(run, null, 2));
  }
  const job = {
    schemaVersion: 1,
    jobId,
    steps: [{type: 'execute', taskIds: []}],
    agent: 'claude',
    owner: null,
    settings: {graceMilliseconds: 10_000},
    startedAt: at(0),
    endedAt: at(60 * tasks),
    waits: [],
    runs: runs.map(({task_id, run_id, created_at}) => ({
      taskId: task_id,
      runId: run_id,
      startedAt: created_at,
    })),
    end: {reason: 'completed', standing: 'failed', message: 'no ready tasks remaining'},
  };
  writeFileSync(path.join(folder, '.blackbird', 'jobs', `${jobId}.json`), JSON.stringify(job));
  return folder;
}

function recordOf(id, number, isFailed) {
  const begun = number * 60;
  const process = {pid: 4242, start_time: '1', boot_id: 'b', pid_namespace: 'p', host: 'here'};
  const usage = {input_tokens: 12_000, output_tokens: 3_000, cost_usd: 0.12};
  const limit = {paused_at: at(begun + 20), pause_reason: 'usage_limit', resumed_at: at(begun + 30)};
  return {
    schema_version: 1,
    run_id: `${id}-1-abcdef`,
    task_id: id,
    run_type: 'execute',
    attempt: 1,
    state: isFailed ? 'failed' : 'succeeded',
    provider: 'claude',
    provider_session_ref: `session-${number}`,
    resumable: true,
    repo_root: '/somewhere',
    job_id: jobId,
    usage,
    created_at: at(begun),
    updated_at: at(begun + 55),
    segments: [
      {
        ...process,
        argv: ['claude', '-p'],
        started_at: at(begun + 1),
        ended_at: at(begun + 55),
        exit_code: 0,
        usage,
      },
    ],
    stdout: 'what it said, the end of it\n'.repeat(40),
    stderr: '',
    exit_code: 0,
    result: 'It is done. '.repeat(20),
    context: {digest: 'd'.repeat(64), bytes: 6_000},
    review_summary: {files: [], diffstat: '3 files changed', snippets: []},
    ...(number % 100 === 7 ? {pauses: [limit]} : {}),
    ...(isFailed ? {failure: {kind: 'agent_error', message: `expected cents, got dollars (${number})`}} : {}),
  };
}

/** The page is served, and where. */
async function serve(cwd) {
  const begun = performance.now();
  const child = spawn(process.execPath, [program, 'inspect'], {cwd, env: {...process.env, HOME: around}});
  let out = '';
  const url = await new Promise((resolve, reject) => {
    child.once('exit', () => reject(new Error(`it ended: ${out}`)));
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const found = /http:\/\/127\.0\.0\.1:\d+\/[\w-]{22}\//.exec(out)?.[0];
      if (found) resolve(found);
    });
  });
  return {child, url, milliseconds: performance.now() - begun};
}

async function round(browser, cwd) {
  const {child, url, milliseconds} = await serve(cwd);
  const page = await browser.newPage({viewport: {width: 1280, height: 800}});
  let bytes = 0;
  page.on('response', async (response) => {
    bytes += (await response.body().catch(() => '')).length;
  });
  const begun = performance.now();
  await page.goto(url);
  await page.locator('#rows .row .bar').first().waitFor();
  const opened = performance.now() - begun;
  const rows = await page.locator('#rows .row').count();
  const transferred = bytes;
  const scrolls = [];
  for (const share of [0.25, 0.5, 0.75, 1]) {
    const from = performance.now();
    await page.locator('#rows').evaluate((place, part) => {
      place.scrollTop = part * (place.scrollHeight - place.clientHeight);
    }, share);
    await page.waitForFunction(() => {
      const place = document.querySelector('#rows');
      const middle = place.getBoundingClientRect();
      const found = document.elementFromPoint(middle.x + 60, middle.y + middle.height / 2);
      return found?.closest('.row') !== null && found?.closest('.row') !== undefined;
    });
    scrolls.push(performance.now() - from);
  }
  await page.close();
  child.kill('SIGINT');
  return {served: milliseconds, opened, rows, bytes: transferred, scrolled: Math.max(...scrolls)};
}

const median = (values) => values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];

try {
  const cwd = project();
  const browser = await chromium.launch({executablePath, args: ['--no-sandbox', '--disable-gpu']});
  const measured = [];
  for (let number = 0; number < rounds; number++) measured.push(await round(browser, cwd));
  await browser.close();
  const of = (name) => median(measured.map((each) => each[name]));
  console.log(`${tasks} tasks, medians of ${rounds} rounds:`);
  console.log(`  command to address   ${(of('served') / 1000).toFixed(2)} s`);
  console.log(`  address to rows      ${(of('opened') / 1000).toFixed(2)} s`);
  console.log(`  slowest scroll       ${of('scrolled').toFixed(0)} ms`);
  console.log(`  rows drawn           ${of('rows')}`);
  console.log(`  transferred          ${(of('bytes') / 1024).toFixed(0)} kB`);
} finally {
  rmSync(around, {recursive: true, force: true});
}
