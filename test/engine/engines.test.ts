import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { openFakeModel } from '../support/fake-model/fake-model.ts';
import { buildQuestion, collectEvents, joinText, only, PASSWORD, RETURNS } from './questions.ts';

/** The contract suite of the engine port. */

type OpenedEngine = { engine: Engine; close: () => Promise<void> | void };

function describeEngine(name: string, open: () => Promise<OpenedEngine>): void {
  describe(name, () => {
    let opened: OpenedEngine;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const answer = (change = {}, signal = new AbortController().signal) =>
      collectEvents(opened.engine.answer(buildQuestion(change), signal));

    it('emits text, and exactly one end as the last event', async () => {
      const events = await answer();
      expect(joinText(events).trim()).not.toBe('');
      expect(only(events, 'end')).toHaveLength(1);
      expect(events.at(-1)).toMatchObject({ type: 'end', finishReason: 'stop' });
    });

    it('cites verbatim quotes of given passages, after their text', async () => {
      const passages = buildQuestion().passages;
      const events = await answer();
      expect(only(events, 'citation').length).toBeGreaterThan(0);
      let text = '';
      for (const event of events) {
        if (event.type === 'text') text += event.delta;
        if (event.type !== 'citation') continue;
        expect(passages).toContain(event.passage);
        expect(event.passage.text).toContain(event.quote);
        expect(event.start).toBeGreaterThanOrEqual(0);
        expect(event.end).toBeGreaterThan(event.start);
        expect(event.end).toBeLessThanOrEqual(text.length);
      }
      expect(only(events, 'citation')[0]!.passage).toBe(PASSWORD);
    });

    it('ends with no_knowledge when nothing was found', async () => {
      const events = await answer({ found: false, passages: [], nearest: [] });
      expect(events.at(-1)).toMatchObject({ type: 'end', finishReason: 'no_knowledge' });
      expect(only(events, 'citation')).toEqual([]);
      expect(joinText(events)).toMatch(/nothing/);
    });

    it('reports in the language of the reply that nothing was found', async () => {
      const events = await answer({ found: false, passages: [], nearest: [], replyLocale: 'de-AT' });
      expect(joinText(events)).toContain('nichts gefunden');
    });

    it('returns without an error when aborted', async () => {
      const aborted = new AbortController();
      aborted.abort();
      expect(await answer({}, aborted.signal)).toEqual([]);
    });

    it('reports non-negative usage', async () => {
      const [end] = only(await answer(), 'end');
      expect(end!.usage.inputTokens).toBeGreaterThanOrEqual(0);
      expect(end!.usage.outputTokens).toBeGreaterThanOrEqual(0);
      expect(end!.confidence).toBeGreaterThanOrEqual(0);
      expect(end!.confidence).toBeLessThanOrEqual(1);
    });
  });
}

const ANSWER =
  'Open the sign-in page. [[1|Open the sign-in page and choose "Forgot password"]] The link lasts an hour [[1|The link works for one hour]].';

async function openLlm(
  prepare: (fake: Awaited<ReturnType<typeof openFakeModel>>) => void,
): Promise<OpenedEngine> {
  const fake = await openFakeModel();
  prepare(fake);
  const { engine, close } = await openEngine(fake.settings(), { now: Date.now });
  return {
    engine,
    async close() {
      close();
      await fake.close();
    },
  };
}

describeEngine('the extractive engine', async () => ({ engine: createExtractiveEngine(), close() {} }));
describeEngine('the LLM engine', () => openLlm((fake) => fake.says(ANSWER)));
describeEngine('the LLM engine with one-character chunks', () =>
  openLlm((fake) => fake.says(ANSWER, { chunkSize: 1 })),
);
describeEngine('the LLM engine while its model is down', () => openLlm((fake) => fake.errors(500)));

describe('the quoting engine', () => {
  const answer = (change = {}) =>
    collectEvents(createExtractiveEngine().answer(buildQuestion(change), new AbortController().signal));

  it('joins the quoted rows of a table to one table', async () => {
    const text = '| Country | Days |\n| --- | --- |\n| Austria | 3 |\n| Norway | 7 |';
    const quotes = ['| Country | Days |\n| --- | --- |', '| Norway | 7 |'].map((quote) => ({
      ...{ text: quote, start: text.indexOf(quote), end: text.indexOf(quote) + quote.length },
    }));
    const events = await answer({ passages: [{ ...PASSWORD, text, quotes }] });
    expect(joinText(events)).toBe('| Country | Days |\n| --- | --- |\n| Norway | 7 |');
    expect(only(events, 'citation').map(({ quote }) => quote)).toEqual(quotes.map((quote) => quote.text));
  });

  it('suggests articles in the language of the visitor, or marks their language', async () => {
    const french = { ...RETURNS, articleId: 'art_retours', title: 'Retours', contentLocale: 'fr' };
    const events = await answer({ replyLocale: 'fr', passages: [PASSWORD, RETURNS, french], nearest: [] });
    expect(only(events, 'suggestions').flatMap(({ items }) => items)).toEqual([
      { title: 'Return an order (anglais)', message: 'Return an order' },
      { title: 'Retours', message: 'Retours' },
    ]);
  });
});
