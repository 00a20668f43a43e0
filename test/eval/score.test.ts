import { describe, expect, it } from 'vitest';
import type { ChatEvent } from '../../contract/chat-event.ts';
import { computeCalibrationError } from '../../eval/report.ts';
import { indexArticles, scoreTurn } from '../../eval/score.ts';
import { findSteps } from '../../eval/steps.ts';
import type { Turn } from '../../eval/turns.ts';

const answer =
  'Cups break.\n\n## Glue\n\nTo glue a cup:\n\n1. Clean **both** edges.\n2. Press them together.\n\n## Bin\n\n1. Wrap the shards.';
const seeds = [{ slug: 'cup', locale: 'en', title: 'Broken cups', answer }];
const articles = indexArticles(seeds, new Map([['art_1', 'cup']]));

type Quoted = { article?: string; quote: string };

function score(turn: Partial<Turn>, quoted: readonly Quoted[], confidence = 0.8, found = ['cup']) {
  const text = quoted.map(({ quote }) => quote).join('\n\n');
  const events = [
    { type: 'text_delta', delta: text },
    ...quoted.map(({ article = 'art_1', quote }) => ({
      type: 'citation',
      article_id: article,
      content_locale: 'en',
      quote,
    })),
    { type: 'message_end', finish_reason: 'stop', answer_confidence: confidence },
  ] as unknown as ChatEvent[];
  return scoreTurn({
    conversation: { corpus: 'shop', half: 'test', locale: 'en', turns: [], pages: {} },
    ...{ turnIdx: 0, events, found, articles, sent: undefined },
    turn: { category: 'how-to', asks: 'How do I glue a cup?', gold: ['cup'], ...turn },
  });
}

describe('the score of a turn', () => {
  it('is right only when every citation answers', () => {
    expect(score({}, [{ quote: 'Cups break.' }]).outcome).toBe('right');
    expect(score({}, [{ quote: 'Cups break.' }, { article: 'art_2', quote: 'Tea.' }]).outcome).toBe('wrong');
    expect(score({}, []).outcome).toBe('refused');
    expect(score({ category: 'off-topic', gold: [] }, [{ quote: 'Cups break.' }]).outcome).toBe('wrong');
  });

  it('counts a quote that ends in a colon unless its list follows', () => {
    const leadIn = { quote: 'To glue a cup:' };
    expect(score({}, [leadIn]).leadIns).toBe(1);
    expect(score({}, [leadIn, { quote: 'Clean **both** edges.' }]).leadIns).toBe(0);
    expect(score({}, [leadIn, { quote: 'Wrap the shards.' }]).leadIns).toBe(1);
  });

  it('compares quoted steps without their emphasis, under the heading that is asked about', () => {
    expect(findSteps({ slug: 'cup', answer, under: '## Bin' })).toEqual(['Wrap the shards.']);
    expect(findSteps({ slug: 'cup', answer })).toEqual(['Clean **both** edges.', 'Press them together.']);
    const { procedure } = score({}, [{ quote: 'Clean both edges.' }]);
    expect(procedure).toEqual({ firstStep: true, stepsShare: 0.5, chars: 17 });
  });
});

describe('calibration error', () => {
  it('is the gap between confidence and the share of right answers', () => {
    const right = score({}, [{ quote: 'Cups break.' }], 0.8);
    const wrong = score({}, [{ article: 'art_2', quote: 'Tea.' }], 0.8);
    expect(computeCalibrationError([right, wrong]).error).toBeCloseTo(0.3);
    expect(computeCalibrationError([right]).error).toBeCloseTo(0.2);
  });

  it('takes the first article found where nothing was cited', () => {
    expect(computeCalibrationError([score({}, [], 0.1, ['cup'])]).error).toBeCloseTo(0.9);
    expect(computeCalibrationError([score({}, [], 0.1, ['mug'])]).error).toBeCloseTo(0.1);
  });
});
