import { removeHidden } from '../html-content.ts';
import { toArticleMarkdown } from '../html-markdown.ts';
import { replaceComponents } from './markdown-components.ts';
import { CODE, rewriteMarks } from './markdown-marks.ts';
import { parseMarkdown, parseMdx } from './markdown-tree.ts';
import { SkippedFile } from './reader.ts';

type MarkdownOptions = {
  isMdx?: boolean;
  /** Whether `{{ name }}` is a variable of the tool that owns the file, rather than text. */
  hasVariables?: boolean;
  /** Address of the file, for its links. */
  address?: string;
};

/** Signs of other markup than Markdown, outside of code. */
const HTML = /<\/?[a-z][a-z0-9-]*(?:\s[^<>]*)?\/?>/i;
const COMPONENT = /^[ \t]*<\/?[A-Z][\w.]*[\s/>]|^(?:import|export)\s.+(?:from\s|=)/m;
const TEMPLATE = /\{%-?\s*\w|\{\{[<%]/;

/** Converts Markdown of any dialect to that of articles. Markdown without marks of a dialect stays as it was written. */
export function toPlainMarkdown(
  text: string,
  { isMdx = false, hasVariables = false, address }: MarkdownOptions = {},
): string {
  const prose = text.replace(CODE, '');
  const rewritten = rewriteMarks(text, { hasVariables: !isMdx && (hasVariables || TEMPLATE.test(prose)) });
  const hasMarkup = isMdx || HTML.test(rewritten.replace(CODE, '')) || COMPONENT.test(prose);
  if (!hasMarkup && rewritten === text.replaceAll('\r\n', '\n')) return text;
  const root = parse(rewritten, isMdx, COMPONENT.test(prose));
  replaceComponents(root);
  removeHidden(root);
  return toArticleMarkdown(root, address, undefined);
}

function parse(text: string, isMdx: boolean, mayBeMdx: boolean) {
  if (!isMdx && !mayBeMdx) return parseMarkdown(text);
  try {
    return parseMdx(text);
  } catch (error) {
    if (!isMdx) return parseMarkdown(text);
    throw new SkippedFile('unreadable', (error as Error).message);
  }
}
