/**
 * Rewrites what documentation tools add to Markdown as HTML elements, which every Markdown parser passes on: containers
 * of Docusaurus, VitePress, MkDocs, GitBook, Hugo, Jekyll, GitHub and Obsidian. Comments, includes and variables, which
 * only the tool could resolve, are dropped. Code stays as it is.
 */

/** Tells what to write for a container, by the name that the tool gives it. */
const KINDS: Readonly<Record<string, 'drop' | 'none' | 'steps' | 'step' | 'tab' | 'fold' | 'code'>> = {
  ...toKinds(
    'drop',
    'comment include includes include_cached if unless case for capture content-ref swagger openapi',
  ),
  ...toKinds('drop', 'draft hidden private internal'),
  ...toKinds(
    'none',
    'tabs tab-set code-group columns column raw v-pre steps-group updates embed file cards grid',
  ),
  ...toKinds('none', 'tabpane codetabs html literate demo fragment div center card hint-group api reusable'),
  ...toKinds('steps', 'stepper steps'),
  ...toKinds('step', 'step'),
  ...toKinds('tab', 'tab tab-item tabitem update'),
  ...toKinds('fold', 'details expand expandable accordion collapse dropdown spoiler faq'),
  ...toKinds('code', 'code highlight'),
};

function toKinds<Kind>(kind: Kind, names: string): Record<string, Kind> {
  return Object.fromEntries(names.split(' ').map((name) => [name, kind]));
}

/** Tags of a template that stand alone: they have no end, and so no content. */
const ALONE = new Set(
  'include include_relative include_cached embed file assign increment render ref relref link post_url figure youtube vimeo img image gist param swagger openapi'.split(
    ' ',
  ),
);

type Container = {
  /** What ends it: the sign and its length, or the name of the tag. */
  end: string;
  /** Content of a block of MkDocs is indented at least as far. */
  indent?: number;
  close: string;
  isDropped: boolean;
};

/** Returns the text with elements in place of marks. */
export function rewriteMarks(text: string, { hasVariables }: { hasVariables: boolean }): string {
  const rewriter = new MarkRewriter(hasVariables);
  for (const line of stripComments(text).split(/\r?\n/)) rewriter.read(line);
  return rewriter.end();
}

/** Rewrites one line after another. */
class MarkRewriter {
  readonly #hasVariables: boolean;
  readonly #output: string[] = [];
  readonly #stack: Container[] = [];
  /** The sign that began a block of code, and its indent. */
  #fence: { sign: string; indent: number } | undefined;
  #isInSnippet = false;

  constructor(hasVariables: boolean) {
    this.#hasVariables = hasVariables;
  }

  read(raw: string): void {
    if (raw.trim() !== '' && !this.#fence) this.#endBlocks(countIndent(raw));
    const line = dedent(raw, 4 * countBlocks(this.#stack));
    if (this.#fence) {
      this.#readCode(line, this.#fence);
      return;
    }
    if (this.#readFence(line)) return;
    if (SNIPPET.test(line)) this.#isInSnippet = !this.#isInSnippet;
    if (this.#isInSnippet || INCLUDES.test(line)) return;
    if (this.#readBlock(line) || this.#readDirective(line)) return;
    this.#readTags(rewriteInline(line, this.#hasVariables));
  }

  end(): string {
    this.#closeFrom(0);
    return this.#output.join('\n');
  }

  #write(...lines: string[]): void {
    if (!this.#stack.some(({ isDropped }) => isDropped)) this.#output.push(...lines);
  }

  #open(container: Container, start: string, indent: string): void {
    if (!container.isDropped && start !== '')
      for (const line of ['', ...start.split('\n'), '']) this.#write(indent + line);
    this.#stack.push(container);
  }

  #closeTop(indent = ''): void {
    const top = this.#stack.pop();
    if (top && top.close !== '') this.#write('', `${indent}${top.close}`, '');
  }

  /** Closes the container at this position of the stack and those in it; none if it is negative. */
  #closeFrom(position: number, indent = ''): void {
    while (position >= 0 && this.#stack.length > position) this.#closeTop(indent);
  }

  /** Closes blocks of MkDocs whose content is indented further than the next line. */
  #endBlocks(depth: number): void {
    for (
      let top = this.#stack.at(-1);
      top?.indent !== undefined && depth < top.indent;
      top = this.#stack.at(-1)
    )
      this.#closeTop(' '.repeat(top.indent - 4 * countBlocks(this.#stack)));
  }

  #readCode(line: string, { sign, indent }: { sign: string; indent: number }): void {
    const end = new RegExp(`^\\s*${sign.charAt(0)}{${sign.length},}\\s*$`);
    if (!HIGHLIGHT.test(line)) this.#write(line.replace(CODE_MARKS, ''));
    if (end.test(line) && countIndent(line) <= indent + 3) this.#fence = undefined;
  }

  #readFence(line: string): boolean {
    const [, indent = '', sign, info = ''] = FENCE.exec(line) ?? [];
    if (!sign || (sign.startsWith('`') && info.includes('`'))) return false;
    this.#fence = { sign, indent: countIndent(line.replace(/[-*+>]|\d+[.)]/, ' ')) };
    const label = /(?:title|filename)=["']([^"']+)["']|\[([^\]]+)\]\s*(?:\{.*)?$/.exec(info);
    const space = ' '.repeat(indent.length);
    if (label) this.#write(space + toBold(label[1] ?? label[2]!), space);
    this.#write(line.replace(info, /^[\s{.]*([\w+#-]*)/.exec(info)![1]!));
    return true;
  }

  #readBlock(line: string): boolean {
    const [, indent = '', mark, type = '', title = ''] = BLOCK.exec(line) ?? [];
    if (mark === undefined) return false;
    const kind = BLOCK_KINDS[mark.charAt(0)] ?? KINDS[type.toLowerCase()] ?? 'quote';
    const { start, close } = toElement(kind === 'none' ? 'quote' : kind, title.replace(/\\"/g, '"'));
    const contentIndent = indent.length + 4 * countBlocks(this.#stack) + 4;
    this.#open({ end: '', indent: contentIndent, close, isDropped: kind === 'drop' }, start, indent);
    return true;
  }

  #readDirective(line: string): boolean {
    const [, indent = '', colons, name = '', bracketed, attributes = '', rest = ''] =
      DIRECTIVE.exec(line) ?? [];
    if (colons === undefined) return false;
    if (name === '') {
      this.#closeFrom(
        this.#stack.findLastIndex(({ end }) => end === colons),
        indent,
      );
      return true;
    }
    const title = bracketed?.slice(1, -1) ?? (getArgument(attributes, TITLES) || rest.replace(/^\|\s*/, ''));
    const kind = KINDS[name.toLowerCase()] ?? 'quote';
    const { start, close } = toElement(kind, title.replace(/\{[^}]*\}\s*$/, '').trim());
    this.#open({ end: colons, close, isDropped: kind === 'drop' }, start, indent);
    return true;
  }

  /** Writes a line, and opens and closes containers where their tags stand. */
  #readTags(line: string): void {
    const indent = /^[ \t]*/.exec(line)![0];
    let words = '';
    let isWritten = false;
    const flush = () => {
      if (words.trim() !== '') this.#write(words.startsWith(indent) ? words : indent + words.trimStart());
      isWritten = true;
      words = '';
    };
    let at = 0;
    for (const match of line.matchAll(TAG_OR_CODE)) {
      words += line.slice(at, match.index);
      at = match.index + match[0].length;
      const tag = match.groups!.code ? undefined : readTag(match);
      if (tag === undefined) words += match[0];
      else if (tag.isEnd) {
        const position = this.#stack.findLastIndex(({ end }) => end === tag.name);
        if (position >= 0) flush();
        this.#closeFrom(position, indent);
      } else if (tag.kind === 'none' || ALONE.has(tag.name))
        words += getArgument(tag.given, ['text', 'content', 'caption']);
      else {
        flush();
        const hasTitle = !['quote', 'drop', 'code'].includes(tag.kind);
        const title = getArgument(tag.given, TITLES) || (hasTitle ? getFirst(tag.given) : '');
        const { start, close } = toElement(tag.kind, title);
        this.#open({ end: tag.name, close, isDropped: tag.kind === 'drop' }, start, indent);
      }
    }
    words += line.slice(at);
    if (words !== '' || !isWritten) this.#write(words);
  }
}

/** Parts between the signs `--8<--` are inserted from other files. */
const SNIPPET = /^\s*;?--8<--\s*$/;
const HIGHLIGHT = /^\s*(?:\/\/|#|<!--)\s*highlight-(?:next-line|start|end)/;
/** What the first sign of a block of MkDocs says; other blocks have a type. */
const BLOCK_KINDS: Readonly<Record<string, 'fold' | 'tab'>> = { '?': 'fold', '=': 'tab' };

const countIndent = (line: string) => /^[ \t]*/.exec(line)![0].replaceAll('\t', '    ').length;
const countBlocks = (stack: readonly Container[]) =>
  stack.filter(({ indent }) => indent !== undefined).length;

function dedent(line: string, width: number): string {
  const expanded = line.replace(/^[ \t]+/, (space) => space.replaceAll('\t', '    '));
  return width === 0 ? line : expanded.slice(Math.min(width, countIndent(line)));
}

const FENCE = /^(\s*(?:>\s?)*(?:(?:[-*+]|\d+[.)])\s+)?)(`{3,}|~{3,})(.*)$/;
/** Marks of VitePress and Material for lines of code. */
const CODE_MARKS = /\s*(?:\/\/|#|--|<!--|;)\s*(?:\[!code [^\]]*\]|\(\d+\)!)(?:\s*-->)?/g;
/** `!!! note "Title"`, `??? note "Title"`, `=== "Tab"` of MkDocs; the content is indented. */
const BLOCK = /^(\s*)(!!!|\?\?\?\+?|===[!+]?)(?=\s+[\w"])[ \t]*([\w-]*)[\w \t-]*(?:"((?:[^"\\]|\\.)*)")?\s*$/;
/** `:::tip[Title]{…}` of Docusaurus and Starlight, `::: tip Title` of VitePress, `/// note | Title` of Python-Markdown. */
const DIRECTIVE = /^(\s*(?:>\s?)*)(:{3,}|\/{3,})[ \t]*([a-zA-Z][\w-]*)?(\[[^\]]*\])?(\{[^}]*\})?[ \t]*(.*)$/;
/** Files that the tool would insert, tables of contents, and definitions of abbreviations. */
const INCLUDES =
  /^\s*(?:-{1,2}8<-{1,2}\s.*|<<<\s*[@./].*|\[!INCLUDE\b.*|!\[\[[^\]]*\]\]|\[\[?_?toc_?\]?\]|\{:?\s*toc\b.*|\*\[[^\]]+\]:.*|\{:[^}]*\}|@(?:include|import)\b.*)\s*$/i;
const TITLES = ['title', 'label', 'name', 'summary', 'header', 'date', 'linkTitle'];

/** Shortcodes whose content is code, which may look like marks of any kind. */
const CODE_TAG =
  /^([ \t]*)(?:\{\{[<%]\s*(highlight|code|code-toggle|prettify)\b([^\n]*?)[>%]\}\}|\{%-?\s*(highlight)\b([^\n%]*)-?%\})[ \t]*\n((?:(?!```)[\s\S])*?)\n[ \t]*(?:\{\{[<%]\s*\/\2\s*[>%]\}\}|\{%-?\s*end\4\s*-?%\})[ \t]*$/gm;

/** Writes code in tags as a fenced block. */
const fenceCode = (text: string) =>
  text.replace(
    CODE_TAG,
    (
      _,
      indent: string,
      _hugo,
      hugo: string | undefined,
      _liquid,
      liquid: string | undefined,
      code: string,
    ) => {
      const [, language = ''] = /^\s*([\w+#-]+)(?=\s|$)/.exec(hugo ?? liquid ?? '') ?? [];
      return [`${indent}\`\`\`${language}`, code, `${indent}\`\`\``].join('\n');
    },
  );

/** Removes what writers note for themselves, in all dialects. Code keeps it. Tags on several lines come to one. */
function stripComments(text: string): string {
  return mapText(fenceCode(text), (part) =>
    part
      .replace(/\{\{[<%](?:(?!\}\}|\{\{)[\s\S])*?[>%]\}\}|\{%(?:(?!%\}|\{%)[\s\S])*?%\}/g, (tag) =>
        tag.replace(/\s*\n\s*/g, ' '),
      )
      .replace(/<!--[\s\S]*?(?:-->|$)/g, '')
      .replace(/^[ \t]*(?:[-*+]|\d+\.)[ \t]+.*\n[ \t]*\{:?\s*:?toc\b[^}\n]*\}/gim, '')
      .replace(
        /\{\/\*[\s\S]*?\*\/\}|\{\{-?\s*\/\*[\s\S]*?\*\/\s*-?\}\}|\{\{!--[\s\S]*?--\}\}|\{\{![^}]*\}\}/g,
        '',
      )
      .replace(
        /\{#(?=\s)[\s\S]*?\s#\}|\{::comment\}[\s\S]*?\{:\/(?:comment)?\}|\{>>[\s\S]*?<<\}|\{--[\s\S]*?--\}/g,
        '',
      )
      .replace(/\{%-?\s*comment\b[\s\S]*?%\}[\s\S]*?\{%-?\s*endcomment\s*-?%\}/g, '')
      .replace(/\{\{[<%]\s*comment\b[\s\S]*?[>%]\}\}[\s\S]*?\{\{[<%]\s*\/comment\s*[>%]\}\}/g, '')
      .replace(/^[ \t]*\[(?:\/\/|comment|_|#)[^\]\n]*\]:\s*(?:#|<>|\S+).*$/gim, '')
      .replace(/(?<![\w%])%%(?!%)[\s\S]*?%%/g, ''),
  );
}

/** Fenced blocks, whose end is not indented further than their start, and spans of code. */
const FENCED =
  '^([ \\t>]*)(?:[-*+][ \\t]+|\\d+[.)][ \\t]+)?(`{3,}|~{3,})[^\\n]*\\n(?:[\\s\\S]*?\\n)??\\1 {0,5}\\2[`~]*[ \\t]*$';
const SPAN = '(?<!`)(`+)(?!`)(?:(?!\\n\\s*\\n)[\\s\\S])*?[^`]\\3(?!`)';
export const CODE = new RegExp(`${FENCED}|${SPAN}`, 'gm');
const CODE_PARTS = new RegExp(
  `(${FENCED.replaceAll('\\2', '\\3').replaceAll('\\1', '\\2')}|${SPAN.replaceAll('\\3', '\\4')})`,
  'm',
);

/** Applies a function to the text between blocks and spans of code. */
export function mapText(text: string, change: (part: string) => string): string {
  return text
    .split(CODE_PARTS)
    .reduce((parts: string[], part, at) => {
      if (at % 5 === 0) parts.push(change(part));
      if (at % 5 === 1) parts.push(part);
      return parts;
    }, [])
    .join('');
}

const ICON = /:(?:material|octicons|fontawesome|simple|lucide|custom)-[\w-]+:(?:\{[^}]*\})?/g;

const VARIABLE = /\{\{(?![<%])(?:(?!\}\})[\s\S])*\}\}/g;

function rewriteInline(line: string, hasVariables: boolean): string {
  const callout = /^(\s*(?:>\s*)+)\[!([\w-]+)(?:\|[^\]]*)?\][+-]?\s*(.*)$/.exec(line);
  if (callout) return callout[3] ? `${callout[1]}${toBold(callout[3])}\n${callout[1]}` : callout[1]!;
  return mapText(line, (part) => {
    return (hasVariables ? part.replace(VARIABLE, '') : part)
      .replace(/!\[\[[^\]]*\]\]/g, '')
      .replace(
        /\[\[([^\][|]+)(?:\|([^\][]+))?\]\]/g,
        (_, page: string, label?: string) => label ?? page.replace(/^#/, '').replaceAll('#', ', '),
      )
      .replace(/\\?\{:?\s*(?:[#.][\p{L}\w][^{}\n]*|[\w-]+=(?:"[^"{}\n]*"|[\w-]+)(?:[^{}\n]*))\\?\}/gu, '')
      .replace(/\{\+\+([\s\S]*?)\+\+\}|\{==([\s\S]*?)==\}/g, '$1$2')
      .replace(/==(?=\S)([^=\n]+)(?<=\S)==/g, '$1')
      .replace(/\+\+((?:[\w-]|"[^"]*")+(?:\+(?:[\w-]|"[^"]*")+)*)\+\+/g, (_, keys: string) =>
        keys
          .replace(/"/g, '')
          .split('+')
          .map((key) => key.charAt(0).toUpperCase() + key.slice(1))
          .join('+'),
      )
      .replace(/(?<=\S)[ \t]+\^[\w-]{3,}\s*$/, '')
      .replace(/^(\s*)\[\^[^\]\s]+\]:\s*/, '$1')
      .replace(/\[\^[^\]\s]+\]/g, '')
      .replace(ICON, '');
  });
}

/** Tags of GitBook and Jekyll, and shortcodes of Hugo. */
const TAG =
  /\{%-?\s*(\/?[\w-]+)((?:[^%"']|"[^"]*"|'[^']*'|%(?!\}))*?)-?%\}|\{\{[<%](?!\/\*)-?\s*(\/?\s*[\w./-]+)((?:[^"'`}]|"(?:[^"\\]|\\.)*"|'[^']*'|`[^`]*`|\}(?!\}))*?)\/?\s*-?[>%]\}\}/g;

const TAG_OR_CODE = new RegExp(
  `(?<code>(?<!\`)(?<tick>\`+)(?!\`)[^\\n]*?[^\`]\\k<tick>(?!\`))|${TAG.source}`,
  'g',
);

type Tag = { name: string; given: string; kind: string; isEnd: boolean };

function readTag(match: RegExpExecArray): Tag {
  const [, , , liquid, liquidArguments = '', shortcode = '', hugoArguments = ''] = match;
  const written = (liquid ?? shortcode).replace(/\s/g, '').toLowerCase();
  const name = written.replace(/^(?:end|\/)(?=.)/, '');
  return {
    name,
    given: liquid === undefined ? hugoArguments : liquidArguments,
    kind: KINDS[name] ?? (QUOTES.test(name) ? 'quote' : 'none'),
    isEnd: name !== written,
  };
}

const QUOTES =
  /^(?:hint|note|notes|tip|info|warning|caution|danger|important|callout|alert|admonition|notice|attention|quote|pullquote|blockquote|todo|see|deprecated|new-in)$/;

function getArgument(given: string, names: readonly string[]): string {
  for (const name of names) {
    const found = new RegExp(
      `(?:^|[\\s{,])${name}\\s*[=:]\\s*(?:"([^"]*)"|'([^']*)'|\`([^\`]*)\`)`,
      'i',
    ).exec(given);
    if (found) return found[1] ?? found[2] ?? found[3] ?? '';
  }
  return '';
}

const getFirst = (given: string) => /^\s*(?:"([^"]*)"|'([^']*)')/.exec(given)?.slice(1).find(Boolean) ?? '';

function toBold(text: string): string {
  const words = cleanTitle(text).replaceAll('*', '');
  return words === '' ? '' : `**${words}**`;
}

const cleanTitle = (text: string) =>
  text
    .replace(ICON, '')
    .replace(/\{:?\s*[#.][^{}]*\}/g, '')
    .trim();

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('{', '&#123;').replaceAll('}', '&#125;');

/** The elements that stand for a container. A title is Markdown, except where it folds. */
function toElement(kind: string, title: string): { start: string; close: string } {
  const bold = title === '' ? '' : toBold(title);
  switch (kind) {
    case 'quote':
      return { start: `<blockquote>${bold && `\n\n${bold}`}`, close: '</blockquote>' };
    case 'fold':
      return {
        start: title === '' ? '<div>' : `<details>\n<summary>${escapeText(cleanTitle(title))}</summary>`,
        close: title === '' ? '</div>' : '</details>',
      };
    case 'steps':
      return { start: '<gp-steps>', close: '</gp-steps>' };
    case 'step':
      return { start: `<gp-step>${bold && `\n\n${bold}`}`, close: '</gp-step>' };
    default:
      return { start: bold, close: '' };
  }
}
