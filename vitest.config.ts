import {availableParallelism} from 'node:os';
import {defineConfig} from 'vitest/config';
import {installedChromium} from './test/helpers/chromium.ts';
import {installedAgents} from './test/helpers/real-agents.ts';

// `unit` is pure and quick. `heavy` is pure too: plans of 100,000 tasks and long random lives (`*.heavy.test.ts`).
// `system` starts processes and needs the build. `agents` runs the real codex and claude, and `browser` a real
// Chromium, one file after another and after everything else. Time limits are for a hang, not for a busy machine.
export default defineConfig(async () => ({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/*.test.ts', 'test/{machines,policies,ui}/**/*.test.{ts,tsx}'],
          exclude: [heavyFiles],
          isolate: false,
          maxWorkers,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      {
        test: {
          name: 'heavy',
          include: [heavyFiles],
          isolate: false,
          maxWorkers,
          testTimeout: 300_000,
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/{services,cli,e2e}/**/*.test.ts'],
          exclude: [heavyFiles],
          maxWorkers,
          testTimeout: 180_000,
          hookTimeout: 180_000,
        },
      },
      ...((await runsAgents()) ? [agents] : []),
      ...((await runsBrowser()) ? [browser] : []),
    ],
  },
}));

/** One more than there are processors: many tests wait for a process. Vitest alone would take one less. */
const maxWorkers = availableParallelism() + 1;

const heavyFiles = 'test/**/*.heavy.test.ts';

const agents = {
  test: {
    name: 'agents',
    include: ['test/agents/**/*.test.ts'],
    testTimeout: 180_000,
    // The first of them installs the agents.
    hookTimeout: 600_000,
    maxWorkers: 1,
    sequence: {groupOrder: 1},
  },
};

const browser = {
  test: {
    name: 'browser',
    include: ['test/browser/**/*.test.ts'],
    testTimeout: 180_000,
    // The first of them may install Chromium.
    hookTimeout: 600_000,
    maxWorkers: 1,
    sequence: {groupOrder: 2},
  },
};

/** Where they are asked for, or installed. What is left out is named. */
async function runsAgents(): Promise<boolean> {
  const isAsked = isAskedFor('agents');
  if (isAsked !== null) return isAsked;
  if (await installedAgents()) return true;
  const leftOut =
    'Left out: test/agents, the suites of the real codex and claude, which are not installed here';
  console.log(`${leftOut}. To install and run them: npm run test:agents`);
  return false;
}

/** Where it is asked for, or a Chromium is there. */
async function runsBrowser(): Promise<boolean> {
  const isAsked = isAskedFor('browser');
  if (isAsked !== null) return isAsked;
  if (await installedChromium()) return true;
  const advice = 'To install one where you are root, and run them: npm run test:browser';
  console.log(`Left out: test/browser, the suites of the inspector's page: no Chromium here. ${advice}`);
  return false;
}

/** Null when all run that can. CI leaves these two out of `npm test` and runs them by name afterwards. */
function isAskedFor(name: string): boolean | null {
  const named = process.argv.join(' ').match(/--project[= ]\S+/g);
  if (named !== null) return named.some((project) => project.endsWith(name));
  return process.env.BLACKBIRD_SKIP_EXTERNAL ? false : null;
}
