import type { Root } from 'hast';
import { fromHtml } from 'hast-util-from-html';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmTableFromMarkdown } from 'mdast-util-gfm-table';
import { type MdxJsxFlowElement, type MdxJsxTextElement, mdxFromMarkdown } from 'mdast-util-mdx';
import { type Handlers, toHast } from 'mdast-util-to-hast';
import { micromark } from 'micromark';
import { gfmTable, gfmTableHtml } from 'micromark-extension-gfm-table';
import { mdx } from 'micromark-extension-mdx';
import { createText, type ElementContent } from '../html-tree.ts';
import { mapText } from './markdown-marks.ts';
import { splitCode } from './mdx-code.ts';

/** Parses Markdown, and MDX, to a tree of HTML. Components are elements whose names begin with `gp-`. */

export function parseMarkdown(text: string): Root {
  const options = { extensions: [gfmTable()], htmlExtensions: [gfmTableHtml()], allowDangerousHtml: true };
  const whole = text.toLowerCase();
  const html = micromark(
    mapText(text, (part) => toElements(part, whole)),
    options,
  );
  return fromHtml(html, { fragment: true });
}

/** A component in Markdown. HTML has no self-closing components, so they get an end. */
const COMPONENT =
  /<(\/?)([A-Z][\w.]*)((?:\s+(?:[\w:@.#-]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|\{(?:[^{}]|\{[^{}]*\})*\}))?|\{[^{}]*\}))*)\s*(\/?)>/g;

/** Elements that need no end. Without an end, others are words to fill in: `ssh <user>@<address>`. */
const UNENDED = /^(?:br|hr|img|wbr|p|li|td|th|tr|dt|dd|input|source|col)$/;

function escapePlaceholders(text: string, whole: string): string {
  return text.replace(/<([a-z][\w-]*)>/gi, (tag, name: string) =>
    UNENDED.test(name.toLowerCase()) || whole.includes(`</${name.toLowerCase()}`) ? tag : `&lt;${name}&gt;`,
  );
}

function toElements(text: string, whole: string): string {
  return escapePlaceholders(text, whole)
    .replace(/^(?:import\s[^\n]*?from\s*['"][^'"\n]*['"];?|import\s*['"][^'"\n]*['"];?)[ \t]*$/gm, '')
    .replace(COMPONENT, (_, end: string, name: string, attributes: string, empty: string) => {
      const tag = toTagName(name);
      const given = attributes
        .replace(/=\s*\{\s*(["'`])([^"'`{}]*)\1\s*\}/g, '="$2"')
        .replace(/\{[^"]*?\}(?=[\s>]|$)/g, '""');
      return `<${end}${tag}${end ? '' : given}>${empty ? `</${tag}>` : ''}`;
    })
    .replace(/^([ \t]*<[a-z][^<>\n]*\smarkdown(?:="(?:1|block|span)")?[^<>\n]*>)[ \t]*$/gm, '$1\n\n')
    .replace(/^([ \t]*<\/(?:div|section|details|figure|figcaption)>)[ \t]*$/gm, '\n$1\n');
}

const toTagName = (name: string) => `gp-${name.toLowerCase().replaceAll('.', '-')}`;

/** Parses MDX. Throws where MDX would. */
export function parseMdx(source: string): Root {
  const { text, code } = splitCode(source);
  const tree = fromMarkdown(text, {
    extensions: [mdx(), gfmTable()],
    mdastExtensions: [mdxFromMarkdown(), gfmTableFromMarkdown()],
  });
  const constants = readConstants(code);
  const replaceExpression = (value: string): ElementContent | undefined => {
    const found = readLiteral(value) ?? constants.get(value.trim());
    return found === undefined ? undefined : createText(found);
  };
  const handlers = {
    mdxFlowExpression: (_: unknown, { value }: { value: string }) => replaceExpression(value),
    mdxTextExpression: (_: unknown, { value }: { value: string }) => replaceExpression(value),
    mdxJsxFlowElement: toElement,
    mdxJsxTextElement: toElement,
  } as unknown as Handlers;
  return toHast(tree, { handlers }) as Root;

  function toElement(
    state: { all(node: unknown): ElementContent[] },
    node: MdxJsxFlowElement | MdxJsxTextElement,
  ) {
    const properties: Record<string, string> = {};
    for (const attribute of node.attributes) {
      if (attribute.type !== 'mdxJsxAttribute') continue;
      const { name, value } = attribute;
      const text = typeof value === 'object' && value ? readValue(value.value, constants) : (value ?? '');
      if (text !== undefined) properties[toPropertyName(name)] = text;
    }
    const isPhrasing = node.type === 'mdxJsxTextElement';
    if (node.name === null)
      return { type: 'element', tagName: isPhrasing ? 'span' : 'div', properties, children: state.all(node) };
    const isKnown = /^[a-z][a-z0-9]*$/.test(node.name) || node.name.startsWith('gp-');
    const tagName = isKnown ? node.name : toTagName(node.name);
    return { type: 'element', tagName, properties, children: state.all(node) };
  }
}

const toPropertyName = (name: string) =>
  name === 'class' || name === 'className'
    ? 'className'
    : name.replace(/^aria-(\w)/, (_, letter: string) => `aria${letter.toUpperCase()}`);

/** Reads `export const limit = 200`, so that `{limit}` in a sentence is its value. */
function readConstants(code: string): ReadonlyMap<string, string> {
  const constants = new Map<string, string>();
  for (const [, name, value] of code.matchAll(
    /^export\s+const\s+([\w$]+)(?:\s*:\s*\w+)?\s*=\s*("[^"\n]*"|'[^'\n]*'|`[^`$]*`|-?[\d_.]+)\s*;?\s*$/gm,
  ))
    constants.set(name!, readLiteral(value!) ?? value!);
  return constants;
}

function readLiteral(code: string): string | undefined {
  const literal =
    /^\s*(?:"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|`((?:[^`\\$]|\\.)*)`|(-?\d[\d_.]*))\s*$/.exec(code);
  return literal
    ?.slice(1)
    .find((part) => part !== undefined)
    ?.replace(/\\(.)/g, '$1');
}

/** The text of a value: a literal, a constant, or the labels of a list. */
function readValue(code: string, constants: ReadonlyMap<string, string>): string | undefined {
  const literal = readLiteral(code) ?? constants.get(code.trim());
  if (literal !== undefined) return literal;
  if (/^\s*true\s*$/.test(code)) return '';
  if (!/^\s*\[[\s\S]*\]\s*$/.test(code)) return undefined;
  const labels = [...code.matchAll(/\blabel\s*:\s*(["'`])(.*?)\1/g)].map((match) => match[2]!);
  const texts = /\{/.test(code) ? [] : [...code.matchAll(/(["'`])(.*?)\1/g)].map((match) => match[2]!);
  const list = labels.length > 0 ? labels : texts;
  return list.length > 0 ? list.join('\u001f') : undefined;
}
