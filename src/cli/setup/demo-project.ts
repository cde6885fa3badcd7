import {execFile} from 'node:child_process';
import {mkdir, mkdtemp, readdir, writeFile} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import {promisify} from 'node:util';
import {addDep, addTask, type NewTask} from '../../machines/policies/plan/plan-edits.ts';
import {createAgentSelection} from '../../services/agents/agent-selection.ts';
import {AppError, systemErrorCode} from '../../services/contracts/errors.ts';
import type {Plan} from '../../services/contracts/plan.ts';
import {ensureStateFolder} from '../../services/stores/project-folder.ts';
import {openProject} from '../composition.ts';

/** The demo's one question, and the answer used if no user is present. */
export const demoQuestion = {taskId: 'palette', answer: 'colour=midnight blue'};

const tasks: readonly NewTask[] = [
  {
    id: 'greeting',
    parentId: null,
    title: 'Write the greeting',
    description: 'The words that every visitor reads first.',
    acceptanceCriteria: ['greeting.txt contains one line'],
    prompt: 'demo: print Writing the greeting.\ndemo: write greeting.txt Hello from Blackbird.',
  },
  {id: 'site', parentId: null, title: 'Build the site', description: 'A page that shows the greeting.'},
  {
    id: 'palette',
    parentId: 'site',
    title: 'Choose the colours',
    description: 'The agent does not know your taste, so it asks.',
    prompt:
      'demo: ask colour Which colour should the page have? | midnight blue | forest green | black\ndemo: write palette.css body { color: var(--chosen); }',
  },
  {
    id: 'page',
    parentId: 'site',
    title: 'Write the page',
    description: 'Uses the greeting and the colours.',
    prompt:
      'demo: print Putting the greeting on the page.\ndemo: write index.html <h1>Hello from Blackbird.</h1>\ndemo: append index.html <link rel="stylesheet" href="palette.css">',
  },
  {
    id: 'slow',
    parentId: null,
    title: 'Think for a while (Ctrl+C pauses)',
    description: 'Long enough to press Ctrl+C.',
    prompt: 'demo: print Thinking.\ndemo: sleep 3\ndemo: write thoughts.txt It was worth it.',
  },
  {
    id: 'release',
    parentId: null,
    title: 'Write the release notes',
    prompt: 'demo: write NOTES.md First release: a page with a greeting.',
  },
];

const deps: ReadonlyArray<readonly [string, string]> = [
  ['page', 'greeting'],
  ['page', 'palette'],
  ['release', 'site'],
  ['release', 'slow'],
];

/** A small repository with a plan, in a folder that was empty or did not exist. Returns its path. */
export async function createDemo({
  dir,
  cwd,
  now,
}: {
  dir: string | undefined;
  cwd: string;
  now: string;
}): Promise<string> {
  const root =
    dir === undefined ? await mkdtemp(path.join(os.tmpdir(), 'blackbird-demo-')) : path.resolve(cwd, dir);
  await mkdir(root, {recursive: true});
  if ((await readdir(root)).length > 0) {
    throw new AppError('E_USAGE', `the demo needs an empty folder, and ${root} is not`, {
      next: [{command: 'blackbird demo', why: 'use a temporary folder'}],
    });
  }
  await writeFile(path.join(root, 'README.md'), '# Demo\n\nA sample project, made by `blackbird demo`.\n');
  await initRepository(root);
  const {plans, folder} = openProject({root, home: root, env: {}});
  await plans.create();
  await ensureStateFolder(folder);
  await createAgentSelection(folder.agentFile).save('demo');
  await plans.update((plan) => demoPlan(plan, now));
  return root;
}

function demoPlan(plan: Plan, now: string): Plan {
  const filled = tasks.reduce((current, task) => addTask(current, task, now), plan);
  return deps.reduce((current, [id, dep]) => addDep(current, id, dep, now), filled);
}

/** A repository if git is installed, else a plain folder. */
async function initRepository(root: string): Promise<void> {
  try {
    await promisify(execFile)('git', ['init', '-q', root]);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
  }
}
