import type { ChatEvent } from '../../generated/types.ts';
import { buildPassageUrl } from '../passage-url.ts';
import { toPlainText } from '../text-blocks.ts';
import { button, element, NEW_TAB } from './element.ts';
import { fillIn, getLanguageName, type Localization, type Texts } from './language.ts';
import { createRichText } from './rich-text.ts';
import { createView } from './views.ts';

export type Citation = Extract<ChatEvent, { type: 'citation' }>;

export function createMarker(citation: Citation, texts: Texts, onClick: () => void): HTMLElement {
  const { index, title } = citation;
  return element(
    'sup',
    {},
    button(String(index), { class: 'marker', label: fillIn(texts.source, { index, title }) }, onClick),
  );
}

/** Shows a source: its title with a link, the cited words, and notes if it is in another language or outdated. */
export function createSource(citation: Citation, text: string, localization: Localization): HTMLElement {
  const { content_locale: content, quote } = citation;
  // Do not repeat words that the answer quotes itself.
  const isQuoted = text.includes(quote.trim());
  const words = isQuoted ? undefined : toPlainText(quote);
  return element(
    'li',
    { id: `source-${citation.citation_id}`, value: citation.index, tabindex: -1 },
    createTitle(citation),
    words && element('blockquote', { lang: content, dir: 'auto' }, words),
    ...createNotes(citation, localization),
  );
}

/** Shows only the cited words, formatted as in the article, with a link to the article and a way back. */
export function createPassage(
  citation: Citation,
  localization: Localization,
  baseUrl: string,
  onBack: () => unknown,
): HTMLElement {
  const { texts } = localization;
  const { content_locale: content, quote, title } = citation;
  const address = buildPassageUrl(citation);
  const words = element('blockquote', { class: 'text', lang: content });
  createRichText(words, baseUrl).draw(quote, [], true);
  const link = address ? element('a', { href: address, ...NEW_TAB }, texts.readArticle) : undefined;
  const heading = element('h3', { lang: content, dir: 'auto' }, title);
  return createView(heading, texts, onBack, words, ...createNotes(citation, localization), link);
}

function createTitle(citation: Citation): HTMLElement {
  const address = buildPassageUrl(citation);
  const name = address
    ? element('a', { href: address, ...NEW_TAB }, citation.title)
    : element('span', {}, citation.title);
  name.lang = citation.content_locale;
  name.dir = 'auto';
  return name;
}

function createNotes(citation: Citation, { texts, locale }: Localization): HTMLElement[] {
  const { content_locale: content, requested_locale: requested } = citation;
  const notes = [
    citation.fallback_reason && getLanguageNote(content, requested, texts, locale),
    citation.stale ? texts.stale : undefined,
  ];
  return notes.flatMap((note) => (note ? [element('p', { class: 'note' }, note)] : []));
}

/** Names the source's language, and the requested one only if it is more than a regional variant. */
function getLanguageNote(content: string, requested: string, texts: Texts, locale: string): string {
  const isSameLanguage = content.split('-')[0] === requested.split('-')[0];
  return fillIn(isSameLanguage ? texts.inLanguage : texts.otherLanguage, {
    language: getLanguageName(content, locale),
    requested: getLanguageName(requested, locale),
  });
}
