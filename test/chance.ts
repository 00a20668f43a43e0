import fc from 'fast-check';

/**
 * What chance decides in the tests comes from this one number, so that a red run is red again and a green one is no luck.
 * `make test-chance` draws another.
 */
export const SEED = Number(process.env.SEED ?? 8787);

fc.configureGlobal({ seed: SEED });

export { fc };
