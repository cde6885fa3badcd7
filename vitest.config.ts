import {defineConfig} from 'vitest/config';
import {installedAgents} from './test/helpers/real-agents.ts';

// `unit` is pure or nearly so; `system` starts processes, needs the build and gets time for it; `agents`
// runs the real codex and claude, one file after another and after everything else.
export default defineConfig(async () => ({
  test: {
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/*.test.ts', 'test/{machines,policies,ui}/**/*.test.{ts,tsx}'],
        },
      },
      {
        test: {
          name: 'system',
          include: ['test/{services,cli,e2e}/**/*.test.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
        },
      },
      ...((await runsAgents()) ? [agents] : []),
    ],
  },
}));

const agents = {
  test: {
    name: 'agents',
    include: ['test/agents/**/*.test.ts'],
    testTimeout: 60_000,
    // The first of them installs the agents.
    hookTimeout: 600_000,
    maxWorkers: 1,
    sequence: {groupOrder: 1},
  },
};

/** Where they are asked for, or installed. What is left out is named. */
async function runsAgents(): Promise<boolean> {
  const asked = process.argv.join(' ').match(/--project[= ]\S+/g);
  if (asked) return asked.some((project) => project.endsWith('agents'));
  const leftOut = 'Left out: test/agents, the suites of the real codex and claude';
  if (process.env.BLACKBIRD_SKIP_AGENTS) console.log(`${leftOut}. CI runs them next: npm run test:agents`);
  else if (await installedAgents()) return true;
  else console.log(`${leftOut}, which are not installed here. To install and run them: npm run test:agents`);
  return false;
}
