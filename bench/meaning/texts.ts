import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { EmbeddingModel } from 'guidepost-model';

const ENGLISH = new URL('../../server/demo/knowledge/gnome-help.jsonl', import.meta.url);
const TRANSLATIONS = new URL('../../eval/data/gnome-help-translations.jsonl.gz', import.meta.url);
/** Longer texts are cut by us, and averaged by the engine that we compare with. */
const TOKENS_MAX = 500;

type Article = { locale: string; title: string; answer: string };

/** Returns articles of the GNOME help in all languages in turn, each short enough for the model. */
export function readTexts(model: EmbeddingModel, count: number): string[] {
  const byLocale = Object.values(Object.groupBy(readArticles(), ({ locale }) => locale)) as Article[][];
  const longest = Math.max(...byLocale.map(({ length }) => length));
  const texts: string[] = [];
  for (let index = 0; index < longest && texts.length < count; index += 1) {
    for (const articles of byLocale) {
      const article = articles[index];
      const text = article && `${article.title}\n\n${article.answer}`;
      if (text && model.tokenize('passage', text).length <= TOKENS_MAX) texts.push(text);
    }
  }
  return texts.slice(0, count);
}

function readArticles(): Article[] {
  const english: Article[] = parseLines(readFileSync(ENGLISH, 'utf8'));
  const translated: { translations: readonly Article[] }[] = parseLines(
    gunzipSync(readFileSync(TRANSLATIONS)).toString(),
  );
  return [...english, ...translated.flatMap(({ translations }) => translations)];
}

const parseLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Returns a text of this many tokens, with start, end and prefix. */
export function makeText(model: EmbeddingModel, tokens: number): string {
  let text = '';
  for (const word of readArticles()[0]!.answer.repeat(20).split(/\s+/)) {
    const longer = `${text} ${word}`;
    if (model.tokenize('passage', longer).length > tokens) return text;
    text = longer;
  }
  return text;
}
