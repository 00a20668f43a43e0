import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Most files share a process with others, because loading the whole service anew for each of them takes as long as the tests do. These have
 * one of their own: the processes that they start live by the clock of the machine, which other files have moved.
 */
const ALONE = [
  'test/stories/*.test.ts',
  'test/cli/{beside-a-writer,cli,first-start,serve}.test.ts',
  'test/http/shutdown.test.ts',
  'test/storage/{durability,event-order}.test.ts',
];

// What was compiled once is kept for every worker, for the processes that tests start and for the next time.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/guidepost/compiled', import.meta.url),
);

export default defineConfig({
  test: {
    globalSetup: [
      'test/global-setup/build.ts',
      'test/global-setup/error-coverage.ts',
      'test/global-setup/validate-traffic.ts',
    ],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Many tests wait: for a time-out, a browser, a process.
    maxWorkers: 3,
    // Node runs the sources itself, as it does outside of tests: transforming them for Vite takes longer than starting them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...ALONE],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
