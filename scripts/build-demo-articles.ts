/**
 * Builds the demo's articles from topics of the GNOME desktop help, one JSON Lines file per language:
 *
 *     node scripts/build-demo-articles.ts FOLDER
 *
 * Each input line has id, title, summary, body without the editors' notes (`comment` in a topic's source) and
 * `translated`, the translated share of the topic; the rest of the topic is in English. The output is under the
 * licence named in the NOTICE.md beside it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const SOURCE = 'en';
/**
 * Three scripts besides Latin, one of them right-to-left. Some languages cover less than a fifth of
 * the topics.
 */
const LANGUAGES = ['de', 'es', 'fr', 'ru', 'ja', 'zh-CN', 'fa', 'it'];
/** Minimum translated share. Topics with more English left are skipped. */
const TRANSLATED_MIN = 0.8;

const topic = z.object({
  id: z.string(),
  title: z.string(),
  summary: z.string(),
  body: z.string(),
  translated: z.number(),
});
type Topic = z.infer<typeof topic>;

function readTopics(folder: string, language: string): Map<string, Topic> {
  const topics = readFileSync(join(folder, `${language}.jsonl`), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): unknown => JSON.parse(line))
    .filter((line) => (line as { t: unknown }).t === 'a')
    .map((line) => topic.parse(line));
  return new Map(topics.map((each) => [each.id, each]));
}

function isTranslated(topic: Topic, source: Topic): boolean {
  return (
    topic.translated >= TRANSLATED_MIN &&
    topic.title !== source.title &&
    topic.summary !== source.summary &&
    topic.body !== source.body
  );
}

/** Paths that contain the home folder of a fictional user. */
const HOME_FOLDER = /\/home\/[a-z]+(?!\w)/g;

/** Matches a reference to another topic whose link text is missing from the input. */
const LOST_LINK = new RegExp(
  `(?:^|\\s)(?:see|at|in|to|siehe|unter|bitte|Sie|sección|vea|la|en|consultez|consulter|voir|sur|consultare|смотрите:?|в|разделе|` +
    'раздел|странице|статье|см\\.) \\.$|(?:^|\\s)(?:смотрите|смотрите раздел|Sehen Sie in) ,',
  'iu',
);

/** Leaves out sentences that say nothing without their link, such as "For more information, see ." */
function dropLostLinks(paragraph: string, locale: string): string {
  const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
  const sentences = Array.from(segmenter.segment(paragraph), ({ segment }) => segment);
  // A full stop before a word, as in ".txt", ends no sentence.
  const isSentence = (index: number) => /\s$/.test(sentences[index] ?? '') || index === sentences.length - 1;
  const kept = sentences.filter((text, index) => !(isSentence(index) && LOST_LINK.test(text.trimEnd())));
  return kept.length === sentences.length ? paragraph : kept.join('').trimEnd();
}

/** Makes the summary the first paragraph, and each line of the body another paragraph. */
function buildAnswer({ summary, body }: Topic, locale: string): string {
  const paragraphs = [summary, ...body.split('\n')]
    .map((paragraph) => dropLostLinks(paragraph, locale))
    .filter((paragraph) => paragraph.trim() !== '');
  return paragraphs.join('\n\n').replace(HOME_FOLDER, '~');
}

const folder = process.argv[2];
if (folder === undefined) throw new Error('Name the folder with the topics, one file a language.');

const translations = LANGUAGES.map((locale) => ({ locale, topics: readTopics(folder, locale) }));
const lines = [...readTopics(folder, SOURCE).values()].map((source) =>
  JSON.stringify({
    slug: source.id,
    locale: SOURCE,
    title: source.title,
    answer: buildAnswer(source, SOURCE),
    url: `https://help.gnome.org/users/gnome-help/stable/${source.id}.html`,
    translations: translations.flatMap(({ locale, topics }) => {
      const translated = topics.get(source.id);
      if (!translated || !isTranslated(translated, source)) return [];
      return [{ locale, title: translated.title, answer: buildAnswer(translated, locale) }];
    }),
  }),
);
const file = join(import.meta.dirname, '../server/demo/knowledge/gnome-help.jsonl');
writeFileSync(file, `${lines.join('\n')}\n`);
process.stdout.write(`${lines.length} articles in ${file}\n`);
