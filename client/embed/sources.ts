import type { Citation } from './answer.ts';
import { button, element } from './element.ts';
import { fill, languageName, type Texts, type Wording } from './texts.ts';

export function citationMarker(citation: Citation, texts: Texts, onClick: () => void): HTMLElement {
  const { index, title } = citation;
  return element(
    'sup',
    {},
    button(String(index), { class: 'marker', label: fill(texts.source, { index, title }) }, onClick),
  );
}

/** A source with its title, where it can be read, and whatever a reader should know about its language. */
export function sourceEntry(citation: Citation, text: string, wording: Wording): HTMLElement {
  const { content_locale: content, quote } = citation;
  // An answer that says the words itself needs no second look at them.
  const said = text.includes(quote.trim());
  return element(
    'li',
    { id: `source-${citation.citation_id}`, value: citation.index, tabindex: -1 },
    titleOf(citation),
    said ? undefined : element('blockquote', { lang: content, dir: 'auto' }, quote),
    ...notesOf(citation, wording),
  );
}

/** The cited words by themselves, with the way to their article and the way back. */
export function passageView(citation: Citation, wording: Wording, onBack: () => unknown): HTMLElement {
  const { texts } = wording;
  const { content_locale: content, quote, title } = citation;
  const address = passageAddress(citation);
  const heading = element('h3', { id: 'passage-title', tabindex: -1, lang: content, dir: 'auto' }, title);
  return element(
    'section',
    { class: 'passage', 'aria-labelledby': heading.id },
    button(texts.back, { class: 'quiet back' }, onBack),
    heading,
    element('blockquote', { lang: content, dir: 'auto' }, quote),
    ...notesOf(citation, wording),
    address ? element('a', { href: address, ...ELSEWHERE }, texts.readArticle) : undefined,
  );
}

const ELSEWHERE = { target: '_blank', rel: 'noopener noreferrer' };

function titleOf(citation: Citation): HTMLElement {
  const address = passageAddress(citation);
  const name = address
    ? element('a', { href: address, ...ELSEWHERE }, citation.title)
    : element('span', {}, citation.title);
  name.lang = citation.content_locale;
  name.dir = 'auto';
  return name;
}

function notesOf(citation: Citation, { texts, locale }: Wording): HTMLElement[] {
  const { content_locale: content, requested_locale: requested } = citation;
  const notes = [
    citation.fallback_reason && languageNote(content, requested, texts, locale),
    citation.stale ? texts.stale : undefined,
  ];
  return notes.flatMap((note) => (note ? [element('p', { class: 'note' }, note)] : []));
}

/** Another country's variant of the visitor's language needs no excuse. */
function languageNote(content: string, requested: string, texts: Texts, locale: string): string {
  const isSameLanguage = content.split('-')[0] === requested.split('-')[0];
  return fill(isSameLanguage ? texts.inLanguage : texts.otherLanguage, {
    language: languageName(content, locale),
    requested: languageName(requested, locale),
  });
}

const WORDS_OF_AN_END = 5;

/** The address of the article, with a text fragment: browsers that know those scroll to the cited words and mark them. */
function passageAddress({ url, quote }: Citation): string | undefined {
  const address = webAddressOf(url);
  if (address === undefined) return undefined;
  // A fragment matches within one line of text, so that it is taken from the first line and the last.
  const lines = quote.split('\n').flatMap((line) => line.trim() || []);
  const first = (lines[0] ?? '').split(/\s+/);
  const last = (lines.at(-1) ?? '').split(/\s+/);
  const isShort = lines.length === 1 && first.length <= WORDS_OF_AN_END * 2;
  const ends = isShort ? [first] : [first.slice(0, WORDS_OF_AN_END), last.slice(-WORDS_OF_AN_END)];
  const words = ends.map((end) => encodeURIComponent(end.join(' ')).replaceAll('-', '%2D'));
  return `${address}${address.includes('#') ? '' : '#'}:~:text=${words.join()}`;
}

function webAddressOf(url: string | undefined): string | undefined {
  try {
    const { protocol, href } = new URL(url ?? '', location.href);
    return url && (protocol === 'https:' || protocol === 'http:') ? href : undefined;
  } catch {
    return undefined;
  }
}
