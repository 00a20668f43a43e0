import { cpSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import type { Embedder } from '../../server/knowledge/embeddings/embedder.ts';
import { openModelThread } from '../../server/knowledge/embeddings/model-thread.ts';
import { tempDir } from '../support/temp-dir.ts';

const WEIGHTS = new URL('weights/', import.meta.resolve('guidepost-model/package.json'));
const ENCODER = 'encoder.bin';
const LONG_TEXT = 'The shop opens at nine and closes at six. '.repeat(10);
const open = new AbortController().signal;

describe('the thread of the embedding model', () => {
  let model: Embedder;
  const logged: string[] = [];
  afterEach(() => {
    model.close();
    logged.length = 0;
  });

  const log = {
    warn: (_: object, message: string) => void logged.push(message),
    error: (_: object, message: string) => void logged.push(message),
  };

  /** Copies the weights, which a test may then damage. */
  function copyWeights(): string {
    const folder = join(tempDir(), 'weights');
    cpSync(WEIGHTS, folder, { recursive: true });
    return folder;
  }

  const openOn = (folder: string) => openModelThread({ log, weights: pathToFileURL(`${folder}/`) });

  it('embeds several texts, in their order', async () => {
    model = openModelThread({ log });
    const texts = ['Returns are free.', 'We open at nine.'];
    const { vectors, tokens } = await model.embed('passage', texts, open);
    expect(tokens).toBeGreaterThan(10);
    const [first] = (await model.embed('passage', texts.slice(1), open)).vectors;
    expect(first).toStrictEqual(vectors[1]);
  });

  it('answers questions before passages that came earlier', async () => {
    model = openModelThread({ log });
    const finished: string[] = [];
    const passages = model
      .embed('passage', Array(4).fill(LONG_TEXT), open)
      .then(() => finished.push('passages'));
    const laterPassage = model.embed('passage', ['Later.'], open).then(() => finished.push('later passage'));
    const questions = ['When?', 'Where?'].map((text) =>
      model.embed('query', [text], open).then(() => finished.push(text)),
    );
    await Promise.all([passages, laterPassage, ...questions]);
    expect(finished).toStrictEqual(['When?', 'Where?', 'passages', 'later passage']);
  });

  it('answers a repeated question from its cache', async () => {
    model = openModelThread({ log });
    const first = await model.embed('query', ['When do you open?'], open);
    const [vector] = first.vectors;
    const again = await model.embed('query', ['When do you open?'], open);
    expect(again).toStrictEqual({ vectors: [vector], tokens: 0 });
    const mixed = await model.embed('query', ['Where are you?', 'When do you open?'], open);
    expect(mixed.vectors).toStrictEqual([expect.not.objectContaining(vector!), vector]);
    expect((await model.embed('passage', ['When do you open?'], open)).tokens).toBeGreaterThan(0);
  });

  it('drops cancelled requests', async () => {
    model = openModelThread({ log });
    const caller = new AbortController();
    const cancelled = model.embed('passage', Array(1000).fill(LONG_TEXT), caller.signal);
    const next = model.embed('passage', ['Next.'], open);
    caller.abort();
    await expect(cancelled).rejects.toMatchObject({ kind: 'aborted' });
    expect((await next).vectors).toHaveLength(1);
  });

  it('starts once more after it ended unexpectedly', async () => {
    const folder = copyWeights();
    rmSync(join(folder, ENCODER));
    model = openOn(folder);
    await expect(model.embed('query', ['one'], open)).rejects.toMatchObject({ kind: 'broken' });
    cpSync(new URL(ENCODER, WEIGHTS), join(folder, ENCODER));
    expect((await model.embed('query', ['two'], open)).vectors[0]).toHaveLength(384);
    expect(logged).toStrictEqual(['the embedding model ended and is started again']);
  });

  it('stays down after it ended for the second time', async () => {
    const folder = copyWeights();
    rmSync(join(folder, ENCODER));
    model = openOn(folder);
    await expect(model.embed('query', ['one'], open)).rejects.toThrow('ended');
    await expect(model.embed('query', ['two'], open)).rejects.toThrow('ended');
    await expect(model.embed('query', ['three'], open)).rejects.toThrow('not running');
    expect(logged).toStrictEqual([
      'the embedding model ended and is started again',
      'the embedding model ended again: articles are found by words alone',
    ]);
  });

  it('fails one request whose rows cannot be read, and answers the next', async () => {
    const folder = copyWeights();
    writeFileSync(join(folder, 'table-1.bin'), '');
    model = openOn(folder);
    // The second file has the rows of rare pieces, such as this one.
    await expect(model.embed('passage', ['稣'], open)).rejects.toMatchObject({ kind: 'broken' });
    expect((await model.embed('passage', ['Hello'], open)).vectors).toHaveLength(1);
  });

  it('rejects waiting requests when it closes', async () => {
    model = openModelThread({ log });
    const waiting = model.embed('passage', [LONG_TEXT], open);
    model.close();
    await expect(waiting).rejects.toThrow('closed');
    await expect(model.embed('query', ['after'], open)).rejects.toThrow('not running');
    expect(logged).toStrictEqual([]);
  });
});
