import { defineConfig } from 'vitest/config';

/** Tests of the running service that use only its document; `make test-black-box` runs them one after another. */
export default defineConfig({
  test: {
    include: ['test/release/black-box/**/*.check.ts'],
    fileParallelism: false,
    testTimeout: 1_800_000,
    hookTimeout: 300_000,
    reporters: ['verbose'],
  },
});
