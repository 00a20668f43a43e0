import { parseDocument } from 'yaml';
import { type FieldProblem, frontMatter, markdownAnswer, problemsOf } from './article-line.ts';
import type { MarkdownName } from './markdown-name.ts';
import { tidyLine } from './tidy-text.ts';

/** One Markdown file: a variant of an article. */
export type MarkdownPage = {
  readonly slug: string;
  readonly locale: string;
  readonly content: {
    readonly title: string;
    readonly answer: string;
    readonly aliases: string[];
    readonly url?: string;
  };
};

export type BadMarkdown = { readonly problems: readonly (FieldProblem & { readonly line?: number })[] };

const utf8 = new TextDecoder('utf-8', { fatal: true });
const FRONT_MATTER = /^---[ \t]*\r?\n([\s\S]*?\r?\n)??---[ \t]*(?:\r?\n|$)/;

/** Reads a file; what its front matter says goes before what its name says. The answer is Markdown as it was written. */
export function readMarkdown(
  bytes: Uint8Array,
  name: MarkdownName,
  sourceLocale: string,
): MarkdownPage | BadMarkdown {
  const text = decoded(bytes);
  if (text === undefined) return { problems: [{ expected: 'UTF-8 text' }] };
  const head = FRONT_MATTER.exec(text);
  if (!head) return { problems: [{ line: 1, expected: 'front matter between two lines of ---' }] };
  const yaml = yamlOf(head[1] ?? '');
  if ('problems' in yaml) return yaml;
  const front = frontMatter.safeParse(yaml.value);
  const answer = markdownAnswer.safeParse(text.slice(head[0].length));
  if (!front.success || !answer.success) {
    return {
      problems: [
        ...(front.success ? [] : problemsOf(front.error)),
        ...(answer.success
          ? []
          : problemsOf(answer.error).map((problem) => ({ ...problem, field: 'answer' }))),
      ],
    };
  }
  const { title, aliases, url, slug, locale } = front.data;
  return {
    slug: slug ?? tidyLine(name.slug),
    locale: locale ?? name.locale ?? sourceLocale,
    content: { title, aliases, answer: answer.data, ...(url === undefined ? {} : { url }) },
  };
}

function decoded(bytes: Uint8Array): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

function yamlOf(text: string): { readonly value: unknown } | BadMarkdown {
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    // The front matter begins on the second line of the file.
    const line = text.slice(0, error.pos[0]).split('\n').length + 1;
    return { problems: [{ line, expected: `YAML (${error.message})` }] };
  }
  try {
    return { value: document.toJS({ maxAliasCount: 20 }) ?? {} };
  } catch (error) {
    return { problems: [{ line: 2, expected: `YAML (${(error as Error).message})` }] };
  }
}
