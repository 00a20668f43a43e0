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

/** The text with elements in place of marks, and whether there were any. */
export function rewriteMarks(text: string, { hasVariables }: { hasVariables: boolean }): string {
  const output: string[] = [];
  const stack: Container[] = [];
  let fence: { sign: string; indent: number } | undefined;
  let snippet = false;
  const write = (line: string) => {
    if (!stack.some(({ isDropped }) => isDropped)) output.push(line);
  };
  const closeTop = (indent = '') => {
    const top = stack.pop();
    if (top && top.close !== '') for (const line of ['', `${indent}${top.close}`, '']) write(line);
  };
  const open = (container: Container, start: string, indent: string) => {
    if (!container.isDropped)
      for (const line of start === '' ? [] : ['', ...start.split('\n'), '']) write(indent + line);
    stack.push(container);
  };
  for (const raw of stripComments(text).split(/\r?\n/)) {
    const depth = countIndent(raw);
    if (raw.trim() !== '' && !fence) {
      while (stack.at(-1)?.indent !== undefined && depth < stack.at(-1)!.indent!)
        closeTop(' '.repeat(stack.at(-1)!.indent! - 4 * countBlocks(stack)));
    }
    const line = dedent(raw, 4 * countBlocks(stack));
    if (fence) {
      const isEnd =
        new RegExp(`^\\s*${fence.sign[0] === '`' ? '`' : '~'}{${fence.sign.length},}\\s*$`).test(line) &&
        countIndent(line) <= fence.indent + 3;
      if (!/^\s*(?:\/\/|#|<!--)\s*highlight-(?:next-line|start|end)/.test(line))
        write(line.replace(CODE_MARKS, ''));
      if (isEnd) fence = undefined;
      continue;
    }
    const [, indent = '', sign, info = ''] = FENCE.exec(line) ?? [];
    if (sign && !(sign[0] === '`' && info.includes('`'))) {
      fence = { sign, indent: countIndent(line.replace(/[-*+>]|\d+[.)]/, ' ')) };
      const label = /(?:title|filename)=["']([^"']+)["']|\[([^\]]+)\]\s*(?:\{.*)?$/.exec(info);
      if (label)
        for (const each of [toBold(label[1] ?? label[2]!), '']) write(' '.repeat(indent.length) + each);
      write(line.replace(info, /^[\s{.]*([\w+#-]*)/.exec(info)![1]!));
      continue;
    }
    if (/^\s*;?--8<--\s*$/.test(line)) snippet = !snippet;
    if (snippet || INCLUDES.test(line)) continue;
    const block = BLOCK.exec(line);
    if (block) {
      const [, blockIndent = '', mark = '', type = '', title = ''] = block;
      const kind = mark.startsWith('?')
        ? 'fold'
        : mark.startsWith('=')
          ? 'tab'
          : (KINDS[type.toLowerCase()] ?? 'quote');
      const { start, close } = toElement(kind === 'none' ? 'quote' : kind, title.replace(/\\"/g, '"'));
      const contentIndent = blockIndent.length + 4 * countBlocks(stack) + 4;
      open({ end: '', indent: contentIndent, close, isDropped: kind === 'drop' }, start, blockIndent);
      continue;
    }
    const directive = DIRECTIVE.exec(line);
    if (directive) {
      const [, at = '', colons = '', name = '', bracketed, attributes = '', rest = ''] = directive;
      if (name === '') {
        const found = stack.findLastIndex(({ end }) => end === colons);
        while (found >= 0 && stack.length > found) closeTop(at);
        continue;
      }
      const title =
        bracketed?.slice(1, -1) ?? (getArgument(attributes, TITLES) || rest.replace(/^\|\s*/, ''));
      const kind = KINDS[name.toLowerCase()] ?? 'quote';
      const { start, close } = toElement(kind, title.replace(/\{[^}]*\}\s*$/, '').trim());
      open({ end: colons, close, isDropped: kind === 'drop' }, start, at);
      continue;
    }
    writeTags(rewriteInline(line, hasVariables), stack, { write, open, closeTop });
  }
  while (stack.length > 0) closeTop();
  return output.join('\n');
}

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

/** Applies a function to what is outside of code. */
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

type Writer = {
  write(line: string): void;
  open(container: Container, start: string, indent: string): void;
  closeTop(indent?: string): void;
};

const TAG_OR_CODE = new RegExp(
  `(?<code>(?<!\`)(?<tick>\`+)(?!\`)[^\\n]*?[^\`]\\k<tick>(?!\`))|${TAG.source}`,
  'g',
);

/** Writes a line, and opens and closes containers where their tags stand. */
function writeTags(line: string, stack: readonly Container[], { write, open, closeTop }: Writer): void {
  const indent = /^[ \t]*/.exec(line)![0];
  let words = '';
  let isWritten = false;
  const flush = () => {
    if (words.trim() !== '') write(words.startsWith(indent) ? words : indent + words.trimStart());
    isWritten = true;
    words = '';
  };
  let at = 0;
  for (const match of line.matchAll(TAG_OR_CODE)) {
    words += line.slice(at, match.index);
    at = match.index + match[0].length;
    if (match.groups!.code) {
      words += match[0];
      continue;
    }
    const [, , , liquid, liquidArguments = '', shortcode = '', hugoArguments = ''] = match;
    const name = (liquid ?? shortcode).replace(/\s/g, '').toLowerCase();
    const given = liquid === undefined ? hugoArguments : liquidArguments;
    const ended = /^(?:end|\/)(.+)$/.exec(name)?.[1];
    const kind = KINDS[name] ?? (QUOTES.test(name) ? 'quote' : 'none');
    if (ended !== undefined) {
      const found = stack.findLastIndex(({ end }) => end === ended);
      if (found >= 0) flush();
      while (found >= 0 && stack.length > found) closeTop(indent);
    } else if (kind === 'none' || ALONE.has(name))
      words += getArgument(given, ['text', 'content', 'caption']);
    else {
      flush();
      const hasTitle = !['quote', 'drop', 'code'].includes(kind);
      const title = getArgument(given, TITLES) || (hasTitle ? getFirst(given) : '');
      const { start, close } = toElement(kind, title);
      open({ end: name, close, isDropped: kind === 'drop' }, start, indent);
    }
  }
  words += line.slice(at);
  if (words !== '' || !isWritten) write(words);
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
