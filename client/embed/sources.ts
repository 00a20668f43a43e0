import type { Citation } from './answer.ts';
import { button, element } from './element.ts';
import { fill, languageName, type Texts, type Wording } from './texts.ts';

/** The text with a marker after each cited statement. Offsets count code points, as the service does. */
export function textWithMarkers(
  text: string,
  citations: readonly Citation[],
  marker: (citation: Citation) => Node,
): Node[] {
  const characters = Array.from(text);
  const nodes: Node[] = [];
  let from = 0;
  for (const citation of [...citations].sort((a, b) => a.end - b.end || a.index - b.index)) {
    const end = Math.max(from, Math.min(citation.end, characters.length));
    nodes.push(document.createTextNode(characters.slice(from, end).join('')), marker(citation));
    from = end;
  }
  nodes.push(document.createTextNode(characters.slice(from).join('')));
  return nodes;
}

export function citationMarker(citation: Citation, texts: Texts, onClick: () => void): HTMLElement {
  const { index, title } = citation;
  return element(
    'sup',
    {},
    button(String(index), { class: 'marker', label: fill(texts.source, { index, title }) }, onClick),
  );
}

/** A source with its title, where it can be read, and whatever a reader should know about its language. */
export function sourceEntry(citation: Citation, text: string, { texts, locale }: Wording): HTMLElement {
  const { title, url, content_locale: content, requested_locale: requested, quote } = citation;
  const address = webAddressOf(url);
  const name = address
    ? element('a', { href: address, target: '_blank', rel: 'noopener noreferrer' }, title)
    : element('span', {}, title);
  name.lang = content;
  name.dir = 'auto';
  const notes = [
    citation.fallback_reason && languageNote(content, requested, texts, locale),
    citation.stale ? texts.stale : undefined,
  ];
  // An answer that says the words itself needs no second look at them.
  const said = text.includes(quote.trim());
  return element(
    'li',
    { id: `source-${citation.citation_id}`, value: citation.index, tabindex: -1 },
    name,
    said ? undefined : element('blockquote', { lang: content, dir: 'auto' }, quote),
    ...notes.map((note) => (note ? element('p', { class: 'note' }, note) : undefined)),
  );
}

/** Another country's variant of the visitor's language needs no excuse. */
function languageNote(content: string, requested: string, texts: Texts, locale: string): string {
  const isSameLanguage = content.split('-')[0] === requested.split('-')[0];
  return fill(isSameLanguage ? texts.inLanguage : texts.otherLanguage, {
    language: languageName(content, locale),
    requested: languageName(requested, locale),
  });
}

function webAddressOf(url: string | undefined): string | undefined {
  try {
    const { protocol, href } = new URL(url ?? '', location.href);
    return url && (protocol === 'https:' || protocol === 'http:') ? href : undefined;
  } catch {
    return undefined;
  }
}
