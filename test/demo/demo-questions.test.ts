import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readArticles } from '../../eval/corpora.ts';
import { type Harness, openHarness } from '../harness.ts';

/** The questions that the demo page offers, with the article that answers each. */
const ANSWERS: Readonly<Record<string, string | undefined>> = {
  'How do I take a screenshot?': 'screen-shot-record',
  'Wie stelle ich die Bildschirmhelligkeit ein?': 'display-brightness',
  '¿Cómo cambio el tamaño del texto en la pantalla?': 'a11y-font-size',
  'Comment configurer une imprimante locale ?': 'printing-setup',
  'Как изменить яркость экрана?': 'display-brightness',
  '如何备份重要文件？': 'backup-why',
  '重要なファイルをバックアップするには?': 'backup-why',
  'چگونه اندازهٔ متن روی صفحه را تغییر دهم؟': 'a11y-font-size',
  'What is the capital of Mongolia?': undefined,
};

const page = readFileSync(new URL('../../server/demo/page/index.html', import.meta.url), 'utf8');
const questions = Array.from(
  page.matchAll(/data-question lang="([^"]+)"[^>]*>([^<]+)</g),
  ([, lang, text]) => ({
    lang: lang!,
    text: text!,
  }),
);

describe('the questions of the demo page', () => {
  let harness: Harness;
  let slugs: ReadonlyMap<string, string>;
  beforeAll(async () => {
    harness = await openHarness({ articles: readArticles('demo') });
    const articles = await harness.service.store.in(harness.workspace.id).articles.list(1000);
    slugs = new Map(articles.map(({ id, slug }) => [id, slug]));
  });
  afterAll(() => harness.close());

  it('are all listed here', () => {
    expect(questions.map(({ text }) => text).sort()).toEqual(Object.keys(ANSWERS).sort());
  });

  it.each(questions)('cites the right article, or none, for "$text"', async ({ lang, text }) => {
    const headers = { 'accept-language': lang };
    const { jwt } = await harness.boot({}, headers);
    const events = await harness.ask(jwt, { message: text, turn_idx: 0 }, headers);
    const cited = events.flatMap((event) =>
      event.type === 'citation' ? [[slugs.get(event.article_id), event.content_locale]] : [],
    );
    const answer = ANSWERS[text];
    expect(new Set(cited.map(([slug]) => slug))).toEqual(new Set(answer === undefined ? [] : [answer]));
    for (const [, locale] of cited) expect(locale).toBe(lang);
  });
});
