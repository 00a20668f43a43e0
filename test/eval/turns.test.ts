import { describe, expect, it } from 'vitest';
import { readLanguageMessages } from '../../eval/answer-language.ts';
import { CORPORA, readArticles } from '../../eval/corpora.ts';
import { readConversations } from '../../eval/turns.ts';
import { listFunctionWords } from '../../server/base/guide-languages.ts';
import { getLanguage } from '../../server/base/text.ts';
import type { Seed } from '../support/seeds.ts';

const conversations = readConversations();
const articles = new Map(
  CORPORA.map((corpus) => [corpus, new Map(readArticles(corpus).map((article) => [article.slug, article]))]),
);

/** Returns the article's texts in a language. */
function listTexts({ translations = [], ...source }: Seed, locale: string) {
  return [source, ...translations].filter((one) => getLanguage(one.locale) === getLanguage(locale));
}

/** Returns the words besides function words; pairs of characters where words are not separated. */
function listContentWords(text: string, locale: string): Set<string> {
  const normalized = text.normalize('NFKC').toLowerCase();
  if (['ja', 'zh'].includes(getLanguage(locale))) {
    const runs = normalized.match(/\p{sc=Han}{2,}|\p{sc=Katakana}{2,}/gu) ?? [];
    return new Set(runs.flatMap((run) => [...run].slice(1).map((end, at) => `${run[at]}${end}`)));
  }
  const functionWords = new Set(listFunctionWords(getLanguage(locale)));
  const words = normalized.match(/[\p{L}\p{M}\p{N}]{2,}/gu) ?? [];
  return new Set(words.filter((word) => !functionWords.has(word)));
}

describe('the turns of the evaluation', () => {
  it('cover many languages', () => {
    const languages = new Set(conversations.map(({ locale }) => getLanguage(locale)));
    expect(languages.size).toBeGreaterThanOrEqual(20);
  });

  it('are in both halves about equally, in every category', () => {
    const turns = conversations.flatMap(({ half, turns }) =>
      turns.map(({ category }) => ({ half, category })),
    );
    const shares = [...Map.groupBy(turns, ({ category }) => category)].map(([category, group]) => ({
      category,
      share: group.filter(({ half }) => half === 'test').length / group.length,
    }));
    expect(shares.filter(({ share }) => share < 0.35 || share > 0.65)).toEqual([]);
  });

  it('name articles that exist, and mark exactly those that are not translated', () => {
    const problems = conversations.flatMap(({ corpus, locale, turns }) =>
      turns.flatMap(({ category, asks, gold = [], goldOfSecond = [] }) =>
        [...gold, ...goldOfSecond].flatMap((slug) => {
          const article = articles.get(corpus)!.get(slug);
          if (!article) return [`${asks}: no article ${slug}`];
          const isTranslated = listTexts(article, locale).length > 0;
          return category === 'untranslated' && isTranslated ? [`${asks}: ${slug} is translated`] : [];
        }),
      ),
    );
    expect(problems).toEqual([]);
  });

  it('share no content word with the first article that answers, where their category says so', () => {
    const problems = conversations.flatMap(({ corpus, locale, turns }) =>
      turns
        .filter(({ category }) => category === 'no-shared-word')
        .flatMap(({ asks, gold = [] }) => {
          const texts = listTexts(articles.get(corpus)!.get(gold[0]!)!, locale);
          const written = texts.flatMap(({ title, answer, aliases = [] }) => [title, answer, ...aliases]);
          const known = listContentWords(written.join('\n'), locale);
          const shared = [...listContentWords(asks, locale)].filter((word) => known.has(word));
          return texts.length === 0 || shared.length > 0 ? [`${asks}: ${shared.join(' ')}`] : [];
        }),
    );
    expect(problems).toEqual([]);
  });
});

describe('the messages in an English browser', () => {
  it('are sixty in English and others in many languages, each once', () => {
    const messages = readLanguageMessages();
    expect(messages.filter(({ language }) => language === 'en')).toHaveLength(60);
    expect(new Set(messages.map(({ language }) => language)).size).toBeGreaterThan(10);
    expect(new Set(messages.map(({ message }) => message)).size).toBe(messages.length);
  });
});
