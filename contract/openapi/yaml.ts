import { Document, isCollection, isScalar, visit } from 'yaml';

const NOTICE = '# Written by `make generate` from contract/. Do not edit.\n';

/** Objects and lists up to this length are written on one line, so that the document stays short enough to read. */
const LINE_CHARS_MAX = 1200;

/** Examples are written on one line, however long they are. */
const DATA: readonly unknown[] = ['example', 'value'];

/** Writes a document as YAML that parsers of YAML 1.1 read alike: words such as `on`, and dates, are quoted. */
export function toYaml(value: object): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Pair(_key, { key, value: node }) {
      if (isCollection(node) && isScalar(key)) node.flow = DATA.includes(key.value) || fitsOnLine(node);
    },
    Seq(_key, { items }) {
      for (const item of items) if (isCollection(item)) item.flow = fitsOnLine(item);
    },
    Scalar(_key, node) {
      if (hasQuestionMark(node.value) || endsWithBlankLine(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return (
    NOTICE +
    document.toString({
      lineWidth: 0,
      blockQuote: 'literal',
      doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
      flowCollectionPadding: false,
      indentSeq: false,
    })
  );
}

/** Finds texts to quote: libyaml (Python, Go, Ruby) ends an unquoted text at a question mark in an inline list. */
function hasQuestionMark(value: unknown): boolean {
  return typeof value === 'string' && value.includes('?') && !value.includes('\n');
}

/** Finds texts to quote: the parser of Prism and Spectral drops the blank line that ends the last event of a stream. */
function endsWithBlankLine(value: unknown): boolean {
  return typeof value === 'string' && value.endsWith('\n\n');
}

/** Lists of plain values always fit; text with line breaks never does. */
function fitsOnLine(node: { toJSON(): unknown }): boolean {
  const value = node.toJSON();
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return true;
  const text = JSON.stringify(value);
  return text.length <= LINE_CHARS_MAX && !text.includes('\\n');
}
