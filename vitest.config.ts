import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig } from 'vitest/config';

/**
 * Files whose child processes run on the machine's clock, or whose data has fixed dates: other files in the same process would
 * have moved the clock.
 */
const ISOLATED = [
  'test/stories/visitor-journey.test.ts',
  'test/cli/{cli,serve}.test.ts',
  'test/storage/event-order.test.ts',
  'test/insights/export/pages.test.ts',
];

/** Tests that start PostgreSQL or Redis; `make test-cluster` runs them. */
const CLUSTER = ['test/cluster/*.test.ts', 'test/storage/postgres*.test.ts', 'test/**/*.cluster.test.ts'];

/**
 * Tests whose result depends on the database or on what several servers share. `make test-cluster` runs them a second
 * time, on PostgreSQL and Redis, except those of `it.runIf(onSqlite)`.
 */
const CLUSTER_HTTP = [
  'test/every-route*.test.ts',
  'test/chat/{ai-sdk-stream,chat,concurrent-turns,conversation-ids,follow-up,preview}.test.ts',
  'test/http/{idempotency,limits,rate-limit}.test.ts',
  'test/insights/export/*.test.ts',
  'test/knowledge/schedules.test.ts',
  'test/sources/runs.test.ts',
  'test/visitors/visitor.test.ts',
  'test/visitors/boot/{boot,installation}.test.ts',
  'test/visitors/consent/{canary-scan,consent,consent-log}.test.ts',
  'test/voice/{cap,speak}.test.ts',
  'test/stories/visitor-journey.test.ts',
];

/** Tests of the programs that deploy/ configures, and of WebKit; `make test-deploy` runs them. */
const DEPLOY = ['test/**/*.machine.test.ts'];

/** Tests that prove a release rather than a change: its packages, campaigns and largest import; `make test-release` runs them. */
const RELEASE = [
  'test/release/campaign/*.test.ts',
  'test/release/install/*.test.ts',
  'test/release/website-2000.slow.test.ts',
];

/** Tests of the pages that people see, in Chromium and Firefox; `make test-browser` runs them. */
const BROWSER = [
  'test/{dashboard,embed,journeys}/*.test.ts',
  'test/docs/ai-sdk.test.ts',
  'test/help/reading.test.ts',
  'test/http/security-headers.test.ts',
  'test/stories/customer.test.ts',
];

/** Tests that start, kill or flood processes, fuzz for long, measure time or need minutes; `make test-slow` runs them. */
const SLOW = [
  'test/**/*.slow.test.ts',
  'test/accounts/fuzz.test.ts',
  'test/backup/regular-backups.test.ts',
  'test/cli/doctor-faults.test.ts',
  'test/client/package.test.ts',
  'test/dashboard/languages.test.ts',
  'test/docs/quick-starts.test.ts',
  'test/embed/any-page.test.ts',
  'test/eval/regression.test.ts',
  'test/insights/export/concurrent-writes.test.ts',
  'test/http/{fuzz,overload,shutdown}.test.ts',
  'test/lint/openapi-rules.test.ts',
  'test/react/*.test.ts',
  'test/sanitize/hostile-runs.test.ts',
  'test/scripts/advisories.test.ts',
  'test/sources/files/hostile-files.test.ts',
  'test/sources/run-control.test.ts',
  'test/storage/{durability,faults}.test.ts',
  'test/stories/crash.test.ts',
];

// Compiled code is kept for every worker, for the processes that tests start, and for the next run.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
  new URL('node_modules/.cache/guidepost/compiled', import.meta.url),
);

export default defineConfig({
  test: {
    globalSetup: [
      'test/support/global-setup/build.ts',
      'test/support/global-setup/error-coverage.ts',
      'test/support/global-setup/validate-traffic.ts',
    ],
    // Far above what any test needs, so that a busy machine passes too.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000 } },
    // One more than the two cores of CI: many tests wait for a time-out, a browser or a process.
    maxWorkers: 3,
    // Node strips the types itself; transforming the sources for Vite takes longer than starting them.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    projects: [
      {
        extends: true,
        test: {
          // Loading the whole service for each file takes as long as its tests, so files share a process.
          name: 'shared',
          include: ['test/**/*.test.ts'],
          exclude: [...configDefaults.exclude, ...[ISOLATED, BROWSER, SLOW, RELEASE, CLUSTER, DEPLOY].flat()],
          isolate: false,
        },
      },
      {
        extends: true,
        test: {
          name: 'browser',
          include: BROWSER,
          exclude: [...configDefaults.exclude, ...SLOW, ...DEPLOY],
          isolate: false,
        },
      },
      {
        extends: true,
        test: { name: 'isolated', include: ISOLATED, exclude: [...configDefaults.exclude, ...SLOW] },
      },
      {
        extends: true,
        test: { name: 'slow', include: SLOW, exclude: [...configDefaults.exclude, ...RELEASE] },
      },
      { extends: true, test: { name: 'release', include: RELEASE } },
      // These files run one after the other: some measure time, some use both cores.
      { extends: true, test: { name: 'deploy', include: DEPLOY, fileParallelism: false } },
      {
        extends: true,
        test: {
          name: 'cluster',
          include: CLUSTER,
          isolate: false,
          globalSetup: ['test/support/global-setup/cluster.ts'],
        },
      },
      {
        extends: true,
        test: {
          name: 'cluster-http',
          include: CLUSTER_HTTP,
          exclude: [...configDefaults.exclude, ...SLOW, ...CLUSTER],
          isolate: false,
          env: { HARNESS_CLUSTER: 'on' },
          globalSetup: ['test/support/global-setup/cluster.ts'],
        },
      },
    ],
  },
});
