import { toVisibleText } from '../base/visible-text.ts';
import type { MailContent, MailItem, MailValues } from './compose-mail.ts';
import { getMailLanguage, type MailBlock, type MailTemplate } from './mail-languages.ts';

export type RenderedMail = { subject: string; text: string; html: string };

type Input = Pick<MailContent, 'values'> & {
  template: MailTemplate;
  locale: string;
  /** The name of the server in the footer. */
  host: string;
};

/** Writes a mail as plain text and as HTML. */
export function renderMail({ template, locale, values, host }: Input): RenderedMail {
  const { templates, footer } = getMailLanguage(locale);
  const { subject, body } = templates[template];
  const all = { host, ...values };
  const blocks = body.filter((block) => hasValue(block, all));
  return {
    subject: fill(subject, all, toLine),
    text: [...blocks.map((block) => toText(block, all)), `-- \n${fill(footer.from, all, toLine)}`].join(
      '\n\n',
    ),
    html: toDocument(locale, [
      ...blocks.map((block) => toHtml(block, all)),
      `<p style="${FOOTER}">${fillHtml(footer.from, all)}</p>`,
    ]),
  };
}

const nameOf = (block: Exclude<MailBlock, string>) =>
  'to' in block ? block.to : 'list' in block ? block.list : block.quote;

/** Whether a block has what it shows: a paragraph all of its placeholders. */
function hasValue(block: MailBlock, values: MailValues): boolean {
  const names = typeof block === 'string' ? listPlaceholders(block) : [nameOf(block)];
  return names.every((name) => (values[name]?.length ?? 0) > 0);
}

export const listPlaceholders = (text: string): string[] =>
  Array.from(text.matchAll(PLACEHOLDER), ([, name]) => name!);

const PLACEHOLDER = /\{(\w+)\}/g;

/** Fills placeholders in one pass, so that a value with braces is no placeholder. */
function fill(text: string, values: MailValues, show: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => show(asText(values, name)));
}

const asText = (values: MailValues, name: string) => {
  const value = values[name];
  return typeof value === 'string' ? value : '';
};
const asItems = (values: MailValues, name: string): readonly MailItem[] => {
  const value = values[name];
  return typeof value === 'object' ? value : [];
};

const nameLink = (block: Extract<MailBlock, { to: string }>) =>
  'button' in block ? block.button : block.link;

/** One line without invisible characters, so that a value starts neither a header nor a paragraph. */
const toLine = (value: string) => toVisibleText(value).replace(/\s+/g, ' ').trim();

function toText(block: MailBlock, values: MailValues): string {
  if (typeof block === 'string') return fill(block, values, toLine);
  if ('to' in block) {
    const name = nameLink(block);
    // No colon after a question.
    return `${name}${/[?？]$/.test(name) ? '' : ':'}\n${asText(values, block.to)}`;
  }
  if ('quote' in block) return toVisibleText(asText(values, block.quote)).replace(/^/gm, '> ');
  const items = asItems(values, block.list).map(
    ({ text, detail, url }) =>
      `- ${toLine(text)}${detail ? ` (${toLine(detail)})` : ''}${url ? `\n  ${url}` : ''}`,
  );
  return [block.heading, ...items].join('\n');
}

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
/** Direction and language of a value do not affect the sentence around it. */
const toMarkedHtml = (value: string) => `<bdi>${escapeHtml(toLine(value))}</bdi>`;

/** Colours that stay legible where a mail program inverts them. */
const BODY = 'margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#1a1a1a;background:#ffffff';
// Some mail programs know only the second way to break long words.
const FRAME = 'max-width:560px;margin:0 auto;overflow-wrap:anywhere;word-break:break-word';
const BUTTON =
  'display:inline-block;padding:12px 20px;border-radius:8px;background:#1f4fd8;color:#ffffff;text-decoration:none;font-weight:600';
const LINK = 'font-size:13px;color:#5c5c5c';
const QUOTE = 'margin:16px 0;padding:0 0 0 12px;border-left:3px solid #c4c4c4;white-space:pre-wrap';
const FOOTER = 'margin-top:32px;font-size:13px;color:#5c5c5c';
const HEADING = 'margin:24px 0 8px;font-size:16px';

function toHtml(block: MailBlock, values: MailValues): string {
  if (typeof block === 'string') return `<p>${fillHtml(block, values)}</p>`;
  if ('button' in block)
    return `<p><a href="${escapeHtml(asText(values, block.to))}" style="${BUTTON}">${escapeHtml(block.button)}</a></p>`;
  if ('link' in block)
    return `<p><a href="${escapeHtml(asText(values, block.to))}" style="${LINK}">${escapeHtml(block.link)}</a></p>`;
  if ('quote' in block)
    return `<blockquote dir="auto" style="${QUOTE}">${escapeHtml(toVisibleText(asText(values, block.quote)))}</blockquote>`;
  const items = asItems(values, block.list).map(({ text, detail, url }) => {
    const title = url ? `<a href="${escapeHtml(url)}">${toMarkedHtml(text)}</a>` : toMarkedHtml(text);
    return `<li>${title}${detail ? ` (${toMarkedHtml(detail)})` : ''}</li>`;
  });
  return `<h2 style="${HEADING}">${escapeHtml(block.heading)}</h2><ul>${items.join('')}</ul>`;
}

const fillHtml = (text: string, values: MailValues) => fill(escapeHtml(text), values, toMarkedHtml);

function toDocument(locale: string, parts: readonly string[]): string {
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"></head><body style="${BODY}"><div dir="auto" style="${FRAME}">${parts.join('\n')}</div></body></html>`;
}
