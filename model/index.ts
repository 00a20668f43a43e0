import { readFileSync } from 'node:fs';
import { DIMENSIONS, openEncoder, type Run, TOKENS_MAX } from './encoder.ts';
import { getFolder } from './open-kernel.ts';
import { END, openTokenizer, START } from './tokenizer.ts';

export { multiplyBytes } from './products.ts';

/** The model was trained on pairs of questions and passages, each with its prefix. */
export type Role = 'query' | 'passage';

export type EmbeddingModel = {
  /** Names the weights: vectors of different models cannot be compared. */
  id: string;
  dimensions: number;
  /** The pieces of a text with its prefix, between start and end; text beyond 512 of them is left out. */
  tokenize(role: Role, text: string): readonly number[];
  /** Starts a text; see `Encoder.start`. */
  start(tokens: readonly number[], lane: 0 | 1): Run;
  /** The vector of a text, of length 1. Blocks for about 1 ms per token. */
  embed(role: Role, text: string): Float32Array;
  close(): void;
};

/** Reads the name of the model without loading it. Throws when there is no model. */
export function readModelId(weights = getWeights()): string {
  return JSON.parse(readFileSync(new URL('model.json', weights), 'utf8')).id;
}

/** Loads the model; takes about 20 ms and 40 MB. */
export function openModel(weights = getWeights()): EmbeddingModel {
  const split = openTokenizer(weights);
  const encoder = openEncoder(weights);
  const tokenize = (role: Role, text: string) => [START, ...split(`${role}: ${text}`, TOKENS_MAX - 2), END];
  return {
    id: readModelId(weights),
    dimensions: DIMENSIONS,
    tokenize,
    start: encoder.start,
    embed(role, text) {
      const run = encoder.start(tokenize(role, text), 0);
      for (;;) {
        const vector = run.step();
        if (vector) return vector;
      }
    },
    close: encoder.close,
  };
}

const getWeights = () => new URL('weights/', getFolder());
