import { Typography } from '@mantine/core';
import { lexer, type MarkedToken, type Token, type Tokens } from 'marked';
import { createElement, Fragment, memo, type ReactNode } from 'react';
import { getDirection } from '../languages.ts';
import { serviceUrl } from '../session.ts';

/** Renders Markdown as elements, never as HTML, so that an article cannot bring a script. */
export const Markdown = memo(function Markdown({ text, locale }: { text: string; locale?: string }) {
  return (
    <Typography lang={locale} dir={locale ? getDirection(locale) : 'auto'} className="wrap">
      {renderTokens(lexer(text))}
    </Typography>
  );
});

function renderTokens(tokens: readonly Token[] = []): ReactNode {
  // Pass children as arguments, because tokens have no field that could serve as a key.
  return createElement(Fragment, null, ...tokens.map((token) => renderToken(token as MarkedToken)));
}

function renderToken(token: MarkedToken): ReactNode {
  switch (token.type) {
    case 'heading':
      // Headings of the text rank below those of the page.
      return createElement(`h${Math.min(token.depth + 2, 6)}`, null, renderTokens(token.tokens));
    case 'paragraph':
      return <p>{renderTokens(token.tokens)}</p>;
    case 'blockquote':
      return <blockquote>{renderTokens(token.tokens)}</blockquote>;
    case 'list':
      return renderList(token);
    case 'code':
      return (
        <pre>
          <code>{token.text}</code>
        </pre>
      );
    case 'hr':
      return <hr />;
    case 'br':
      return <br />;
    case 'strong':
      return <strong>{renderTokens(token.tokens)}</strong>;
    case 'em':
      return <em>{renderTokens(token.tokens)}</em>;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'link':
      return renderLink(token);
    case 'image':
      return renderImage(token);
    case 'del':
      return <del>{renderTokens(token.tokens)}</del>;
    case 'table':
      return renderTable(token);
    case 'text':
      return token.tokens ? renderTokens(token.tokens) : decodeEntities(token.text);
    case 'escape':
      return token.text;
    case 'space':
    case 'def':
      return null;
    default:
      return token.raw;
  }
}

function renderList({ ordered, start, items }: Tokens.List): ReactNode {
  const children = items.map((item) => createElement('li', null, renderTokens(item.tokens)));
  return ordered
    ? createElement('ol', { start: start === '' ? 1 : start }, ...children)
    : createElement('ul', null, ...children);
}

function renderTable({ header, rows }: Tokens.Table): ReactNode {
  const toCells = (cells: readonly Tokens.TableCell[], name: 'th' | 'td') =>
    cells.map(({ tokens, align }) =>
      // An empty `th` would give its column an empty name.
      createElement(tokens.length > 0 ? name : 'td', { align: align ?? undefined }, renderTokens(tokens)),
    );
  const body = rows.map((row) => createElement('tr', null, ...toCells(row, 'td')));
  return (
    <table>
      <thead>{createElement('tr', null, ...toCells(header, 'th'))}</thead>
      {createElement('tbody', null, ...body)}
    </table>
  );
}

/** Shows only the alternative text of images from elsewhere, which the content security policy blocks. */
function renderImage({ href, text }: Tokens.Image): ReactNode {
  const alt = decodeEntities(text);
  return href.startsWith('/images/') ? (
    <img src={serviceUrl + href} alt={alt} loading="lazy" />
  ) : (
    <em>{alt}</em>
  );
}

const SAFE_PROTOCOLS = ['http:', 'https:', 'mailto:'];

function renderLink({ href, tokens }: Tokens.Link): ReactNode {
  const isSafe =
    URL.canParse(href, location.href) && SAFE_PROTOCOLS.includes(new URL(href, location.href).protocol);
  if (!isSafe) return renderTokens(tokens);
  return (
    <a href={href} target="_blank" rel="noopener noreferrer">
      {renderTokens(tokens)}
    </a>
  );
}

/** Decodes entities such as `&nbsp;`, which Marked leaves to the HTML parser. */
function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const parsed = new DOMParser().parseFromString(text.replaceAll('<', '&lt;'), 'text/html');
  return parsed.body.textContent ?? text;
}
