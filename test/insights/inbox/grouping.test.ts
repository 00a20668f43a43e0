import { readModelId } from 'guidepost-model';
import { describe, expect, it } from 'vitest';
import { compareQuestions, findGroup, type Signature } from '../../../server/insights/grouping.ts';
import { decodeSignature, encodeSignature } from '../../../server/insights/signatures.ts';

const [PRINTER, PAPER, JAM, COLOR] = [1, 2, 3, 4];

const signature = (changes: Partial<Signature> = {}): Signature => ({
  text: 'paper stuck in the printer',
  words: [
    [PRINTER, 3],
    [PAPER, 4],
    [JAM, 5],
  ],
  articles: [['art_1', 0.5]],
  ...changes,
});
const other = signature({ text: 'color profiles', words: [[COLOR, 5]], articles: [['art_2', 0.4]] });

describe('comparing questions', () => {
  it('finds equal texts similar without a common word or article', () => {
    const bare = { words: [], articles: [] };
    expect(compareQuestions(signature(bare), signature(bare))).toBe(1);
  });

  it('finds questions similar that share rare words and articles', () => {
    const alike = signature({
      text: 'printer paper jam',
      words: [
        [PAPER, 4],
        [JAM, 5],
      ],
    });
    expect(compareQuestions(signature(), alike)).toBeGreaterThan(0.75);
    expect(compareQuestions(alike, signature())).toBe(compareQuestions(signature(), alike));
  });

  it('does not find questions similar by an article alone', () => {
    const similar = signature({ text: 'no color', words: [[COLOR, 5]] });
    expect(compareQuestions(signature(), similar)).toBeLessThan(0.5);
    expect(compareQuestions(signature(), other)).toBeLessThan(0.1);
  });

  it('trusts similar embeddings of the same model only', () => {
    const embed = (model: string, vector: number[]) => signature({ ...other, embedding: { model, vector } });
    const [asked, text] = [embed('a', [1, 0]), 'another one'];
    expect(compareQuestions(asked, { ...embed('a', [1, 0]), text, words: [] })).toBe(1);
    expect(compareQuestions(asked, { ...embed('b', [1, 0]), text, words: [] })).toBeLessThan(0.75);
    expect(compareQuestions(asked, { ...embed('a', [0, 1]), text, words: [] })).toBeLessThan(0.75);
  });

  it('weighs the meaning where the model inside the service has embedded both', () => {
    const embed = (text: string, vector: number[]) =>
      signature({ text, words: [], embedding: { model: readModelId(), vector } });
    const [near, far] = [embed('a', [0.9, Math.sqrt(0.19)]), embed('b', [0.8, 0.6])];
    expect(compareQuestions(embed('c', [1, 0]), near)).toBeGreaterThan(0.75);
    expect(compareQuestions(embed('c', [1, 0]), far)).toBeLessThan(0.5);
    expect(compareQuestions(near, signature({ text: 'd', words: [] }))).toBeLessThan(0.5);
  });
});

describe('stored signatures', () => {
  it('are read as they were written', () => {
    const written = signature({ embedding: { model: 'a', vector: [0.6, 0.8] } });
    expect(decodeSignature(encodeSignature(written))).toStrictEqual(written);
  });

  it('of an earlier version are computed again', () => {
    const stored = JSON.stringify({ version: 1, ...signature(), meaning: [1, 0] });
    expect(decodeSignature(stored)).toBeUndefined();
  });
});

describe('finding the group of a question', () => {
  it('returns the most similar group, and none when all differ', () => {
    const known = [
      { groupId: 'ibx_1', signature: other },
      { groupId: 'ibx_2', signature: signature({ text: 'printer paper jam' }) },
    ];
    expect(findGroup(signature(), known)).toBe('ibx_2');
    expect(findGroup(signature({ text: 'x', words: [[99, 4]], articles: [] }), known)).toBeUndefined();
    expect(findGroup(signature(), [])).toBeUndefined();
  });
});
