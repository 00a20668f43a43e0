import { defineConfig } from 'vitest/config';

/**
 * Most files share a process with others, because loading the whole service anew for each of them takes as long as the tests do. These have
 * one of their own: they start and kill processes, measure time, or share a set-up that belongs to one file.
 */
const ALONE = [
  'test/{cli,embed,stories}/**/*.test.ts',
  'test/archive/import*.test.ts',
  'test/client/{broken-streams,calls}.test.ts',
  'test/dashboard/{pages,*-page}.test.ts',
  'test/http/{fuzz,shutdown}.test.ts',
  'test/knowledge/{import*,articles-republished}.test.ts',
  'test/storage/{durability,event-order}.test.ts',
  'test/untrusted/page-text.test.ts',
];

export default defineConfig({
  test: {
    globalSetup: ['test/refusals-provoked.ts'],
    testTimeout: 20_000,
    hookTimeout: 30_000,
    // Many tests wait: for a time-out, a browser, a process.
    maxWorkers: 3,
    projects: [
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: ALONE, isolate: false },
      },
      { extends: true, test: { name: 'alone', include: ALONE } },
    ],
  },
});
