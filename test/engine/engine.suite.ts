/** The contract suite of the engine port. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Engine } from '../../server/engine/engine.ts';
import { all, buildQuestion, joinText, only, PASSWORD } from './questions.ts';

export type OpenedEngine = { readonly engine: Engine; readonly close: () => Promise<void> | void };

export function describeEngine(name: string, open: () => Promise<OpenedEngine>): void {
  describe(name, () => {
    let opened: OpenedEngine;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const answer = (change = {}, signal = new AbortController().signal) =>
      all(opened.engine.answer(buildQuestion(change), signal));

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
      let said = '';
      for (const event of events) {
        if (event.type === 'text') said += event.delta;
        if (event.type !== 'citation') continue;
        expect(passages).toContain(event.passage);
        expect(event.passage.text).toContain(event.quote);
        expect(event.start).toBeGreaterThanOrEqual(0);
        expect(event.end).toBeGreaterThan(event.start);
        expect(event.end).toBeLessThanOrEqual(said.length);
      }
      expect(only(events, 'citation')[0]!.passage).toBe(PASSWORD);
    });

    it('ends with no_knowledge when nothing was found', async () => {
      const events = await answer({ found: false, passages: [], nearest: [] });
      expect(events.at(-1)).toMatchObject({ type: 'end', finishReason: 'no_knowledge' });
      expect(only(events, 'citation')).toEqual([]);
      expect(joinText(events)).toMatch(/nothing/);
    });

    it('says so in the language of the reply', async () => {
      const events = await answer({ found: false, passages: [], nearest: [], replyLocale: 'de-AT' });
      expect(joinText(events)).toContain('nichts gefunden');
    });

    it('returns without an error when aborted', async () => {
      const gone = new AbortController();
      gone.abort();
      expect(await answer({}, gone.signal)).toEqual([]);
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
