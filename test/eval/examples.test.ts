import { describe, expect, it } from 'vitest';
import { readIntentExamples, readPageExamples } from '../../eval/examples.ts';
import { readConversations } from '../../eval/turns.ts';
import { hasUnspacedLetters } from '../../server/base/text.ts';
import { normalizeMessage } from '../../server/chat/intent/known-messages.ts';

const asked = new Set(
  readConversations().flatMap(({ turns }) => turns.map(({ asks }) => normalizeMessage(asks))),
);

function listRepeated(messages: readonly string[]): string[] {
  const seen = new Set<string>();
  return messages.filter((message) => {
    const key = normalizeMessage(message);
    const isRepeated = seen.has(key);
    seen.add(key);
    return isRepeated;
  });
}

const isAsked = (message: string) => asked.has(normalizeMessage(message));

/** Whether everybody says it in these words, such as "good morning"; eval/turns cannot do without them. */
function isFormula(message: string): boolean {
  const normalized = normalizeMessage(message);
  return hasUnspacedLetters(message) ? normalized.length <= 12 : normalized.split(' ').length <= 2;
}

describe('the examples of intents', () => {
  const byLanguage = Object.entries(readIntentExamples());

  it.each(byLanguage)(
    'are different from each other and from the turns of the evaluation: %s',
    (_, examples) => {
      const messages = Object.values(examples).flat();
      expect(listRepeated(messages)).toEqual([]);
      expect(messages.filter((message) => isAsked(message) && !isFormula(message))).toEqual([]);
      expect(examples.question.filter(isAsked)).toEqual([]);
    },
  );

  it('give a message the same intent in every language', () => {
    const labels = new Map<string, string>();
    const conflicts = byLanguage.flatMap(([language, examples]) =>
      Object.entries(examples).flatMap(([label, messages]) =>
        messages
          .filter((message) => {
            const key = normalizeMessage(message);
            const first = labels.get(key) ?? label;
            labels.set(key, first);
            return first !== label;
          })
          .map((message) => `${language}: ${message}`),
      ),
    );
    expect(conflicts).toEqual([]);
  });
});

describe('the examples of messages about a page', () => {
  const examples = Object.values(readPageExamples());

  it('are as many that want a part of the page as ones that want information', () => {
    for (const { page, information } of examples) expect(page.length).toBe(information.length);
  });

  it('are different from each other and from the turns of the evaluation', () => {
    const messages = examples.flatMap(({ page, information }) => [...page, ...information]);
    expect(listRepeated(messages)).toEqual([]);
    expect(messages.filter(isAsked)).toEqual([]);
  });
});
