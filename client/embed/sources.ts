import type { ChatEvent } from '../../generated/types.ts';
import { buildPassageUrl } from '../passage-url.ts';
import { button, element, NEW_TAB } from './element.ts';
import { fillIn, getLanguageName, type Localization, type Texts } from './language.ts';
import { createRichText } from './rich-text.ts';
import { createView } from './views.ts';

export type Citation = Extract<ChatEvent, { type: 'citation' }>;

type ShownText = Pick<Citation, 'content_locale' | 'requested_locale' | 'fallback_reason' | 'stale'>;

export function createMarker({ index, title }: Citation, texts: Texts, onClick: () => void): HTMLElement {
  const label = fillIn(texts.source, { index, title });
  return element('sup', {}, button(String(index), { class: 'marker', label }, onClick));
}

/** Shows a source in a row: its number, its title with a link, and notes if it is in another language or outdated. */
export function createSource(citation: Citation, localization: Localization): HTMLElement {
  return element(
    'li',
    { id: `source-${citation.citation_id}`, tabindex: -1 },
    element('span', { class: 'number' }, String(citation.index)),
    createTitle(citation),
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
  createRichText(words, baseUrl, texts).draw(quote, [], true);
  const link = address ? element('a', { href: address, ...NEW_TAB }, texts.readArticle) : undefined;
  const heading = element('h3', { lang: content, dir: 'auto' }, title);
  return createView(heading, texts, onBack, words, ...createNotes(citation, localization), link);
}

function createTitle(citation: Citation): HTMLElement {
  const address = buildPassageUrl(citation);
  const name = address
    ? element('a', { class: 'title', href: address, ...NEW_TAB }, citation.title)
    : element('span', { class: 'title' }, citation.title);
  name.lang = citation.content_locale;
  name.dir = 'auto';
  return name;
}

/** Says where a text is in another language than the visitor's, and where it is outdated. */
export function createNotes(shown: ShownText, { texts, locale }: Localization): HTMLElement[] {
  const { content_locale: content, requested_locale: requested } = shown;
  const notes = [
    shown.fallback_reason && getLanguageNote(content, requested, texts, locale),
    shown.stale ? texts.stale : undefined,
  ];
  return notes.flatMap((note) => (note ? [element('p', { class: 'note' }, note)] : []));
}

/** Names the source's language where it is another one than the visitor's, not a regional variant of it. */
function getLanguageNote(
  content: string,
  requested: string,
  texts: Texts,
  locale: string,
): string | undefined {
  if (isSameLanguage(content, requested)) return undefined;
  return fillIn(texts.otherLanguage, {
    language: getLanguageName(content, locale),
    requested: getLanguageName(requested, locale),
  });
}

/** Compares language and script: simplified and traditional Chinese differ. */
function isSameLanguage(one: string, other: string): boolean {
  // A page may have an `Intl` of its own.
  if (!Intl.Locale) return true;
  const [first, second] = [one, other].map((tag) => new Intl.Locale(tag).maximize());
  return first?.language === second?.language && first?.script === second?.script;
}
