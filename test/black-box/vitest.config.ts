import { defineConfig } from 'vitest/config';

/** Tools that judge the running service by its document alone; `make test-black-box` runs them, one after another. */
export default defineConfig({
  test: {
    include: ['test/black-box/**/*.check.ts'],
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    reporters: ['verbose'],
  },
});
