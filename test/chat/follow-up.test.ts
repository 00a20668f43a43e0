import { describe, expect, it } from 'vitest';
import { summarizeConversation } from '../../server/chat/follow-up.ts';

describe('summarizeConversation', () => {
  const summarize = (turns: Parameters<typeof summarizeConversation>[0]) =>
    summarizeConversation(turns, (question) => question === 'Thanks!');
  const shipping = { question: 'How long does shipping to Germany take?', articleIds: ['art_shipping'] };

  it('returns the question before and the articles of the last answer that cited any', () => {
    const turns = [
      { question: 'Do you sell gift cards?', articleIds: ['art_cards'] },
      shipping,
      { question: 'and for Switzerland?', articleIds: [] },
    ];
    expect(summarize(turns)).toEqual({ text: 'and for Switzerland?', articleIds: ['art_shipping'] });
  });

  it('keeps the question that found nothing', () => {
    const turns = [{ question: 'Do you ship garden gnomes to Norway?', articleIds: [] }];
    expect(summarize(turns)).toEqual({ text: turns[0]!.question, articleIds: [] });
  });

  it('returns undefined before the first question', () => {
    expect(summarize([])).toBeUndefined();
    expect(summarize([{ question: 'Thanks!', articleIds: [] }])).toBeUndefined();
  });

  it('ignores small talk', () => {
    expect(summarize([shipping, { question: 'Thanks!', articleIds: [] }])).toEqual({
      text: shipping.question,
      articleIds: ['art_shipping'],
    });
  });
});
