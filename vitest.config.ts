/** Vitest is installed in test/; it looks for its configuration here. */
export { default } from './test/vitest.config.ts';
