import {defineConfig} from 'vitest/config';

// `unit` is pure or nearly so; `system` starts processes, needs the build and gets time for it.
export default defineConfig({
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
    ],
  },
});
