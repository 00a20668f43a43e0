/** Reads the articles of a workspace's archive, without keeping the rest of it in memory. */

/** A line of an archive, as far as it is read here. */
type Line = {
  type: string;
  format?: number;
  id?: string;
  name?: string;
  slug?: string;
  locale?: string;
  revision?: number;
  live?: { revision: number };
  collectionId?: string;
  tags?: readonly string[];
  title?: string;
  answer?: string;
  aliases?: readonly string[];
  url?: string;
  lines?: number;
};

type Text = Pick<Line, 'locale' | 'title' | 'answer' | 'aliases'>;
type ArchivedArticle = Text &
  Pick<Line, 'slug' | 'url' | 'tags'> & { collection?: string; translations: Text[] };

export type ArchiveContent = {
  articles: number;
  translations: number;
  conversations: number;
  /** The articles as JSON Lines, which a source of files takes. */
  files: readonly File[];
};

/** The archive is damaged or incomplete. */
export class InvalidArchive extends Error {
  readonly line: number;
  constructor(line: number) {
    super(`line ${line} is not a line of an archive`);
    this.line = line;
  }
}

const HEAD_BYTES = 1024 * 1024;
/** Below the largest file that the service takes. */
const FILE_CHARS_MAX = 4_000_000;

/** Tells an archive of a workspace, by its first line, from other files. */
export async function isArchive(file: File): Promise<boolean> {
  const [first = ''] = (await file.slice(0, HEAD_BYTES).text()).split('\n', 1);
  try {
    const { type, format } = JSON.parse(first) as Line;
    return type === 'workspace' && typeof format === 'number';
  } catch {
    return false;
  }
}

/** @throws InvalidArchive at the first line that cannot be read, or where the last line is missing */
export async function readArchive(file: File): Promise<ArchiveContent> {
  const collections = new Map<string, string>();
  const writer = createWriter();
  let current: { article: Line; text?: Line; translations: { line: Line; text?: Line }[] } | undefined;
  let [conversations, number, hasEnded] = [0, 0, false];

  function finishArticle(): void {
    if (!current) return;
    const { article, text, translations } = current;
    current = undefined;
    if (!text) throw new InvalidArchive(number);
    const collection = collections.get(article.collectionId ?? '');
    writer.write({
      ...toText(text, text.locale),
      ...{ slug: article.slug, url: text.url, tags: article.tags },
      ...(collection !== undefined && { collection }),
      translations: translations.flatMap(({ line, text }) => (text ? [toText(text, line.locale)] : [])),
    });
  }

  function readLine(line: Line): void {
    const { type, revision } = line;
    if (type === 'article_revision' && current) {
      const { article } = current;
      if (revision === (article.live?.revision ?? article.revision)) current.text = line;
    } else if (type === 'translation' && current) current.translations.push({ line });
    else if (type === 'translation_revision' && current) {
      const translation = current.translations.at(-1);
      if (translation && revision === translation.line.live?.revision) translation.text = line;
    } else if (type !== 'article_address') {
      finishArticle();
      if (type === 'collection') collections.set(line.id ?? '', line.name ?? '');
      else if (type === 'article') current = { article: line, translations: [] };
      else if (type === 'conversation') conversations += 1;
      else if (type === 'end') hasEnded = line.lines === number - 1;
    }
  }

  for await (const text of readTextLines(file)) {
    number += 1;
    readLine(parse(text, number));
  }
  if (!hasEnded) throw new InvalidArchive(number + 1);
  return { ...writer.finish(), conversations };
}

const toText = ({ title, answer, aliases }: Line, locale: string | undefined): Text => ({
  ...{ locale, title, answer, aliases },
});

function parse(text: string, number: number): Line {
  try {
    const line = JSON.parse(text) as Line | null;
    if (typeof line?.type === 'string') return line;
  } catch {}
  throw new InvalidArchive(number);
}

async function* readTextLines(file: File): AsyncGenerator<string> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    const lines = (rest + value).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Writes articles into files of bounded size. */
function createWriter() {
  const files: File[] = [];
  let [articles, translations, text] = [0, 0, ''];
  function flush(): void {
    if (text !== '') files.push(new File([text], `articles-${files.length + 1}.jsonl`));
    text = '';
  }
  return {
    write(article: ArchivedArticle): void {
      articles += 1;
      translations += article.translations.length;
      text += `${JSON.stringify(article)}\n`;
      if (text.length > FILE_CHARS_MAX) flush();
    },
    finish() {
      flush();
      return { articles, translations, files };
    },
  };
}
