/** A text that was read from a website, at the address of its page. */
export type FoundText = { articleId: string; title: string; place: string };

type Group = { name: string; articleIds: readonly string[] };

/** The fewest texts of a suggested collection. */
const GROUP_MIN = 2;

/**
 * Groups texts by the first part of their paths that tells them apart: `/help/returns/…` and `/help/orders/…` become
 * Returns and Orders. Returns nothing where the paths form fewer than two groups.
 */
export function suggestCollections(texts: readonly FoundText[]): readonly Group[] {
  const paths = texts.map(({ place }) => toSegments(place));
  const depth = countShared(paths.filter((segments) => segments.length > 1));
  const groups = new Map<string, string[]>();
  for (const [at, { articleId }] of texts.entries()) {
    const segments = paths[at]!;
    // The last segment is the page itself.
    const name = segments.length > depth + 1 ? toName(segments[depth]!) : '';
    if (name !== '') groups.set(name, [...(groups.get(name) ?? []), articleId]);
  }
  const found = [...groups].filter(([, ids]) => ids.length >= GROUP_MIN);
  return found.length < 2 ? [] : found.map(([name, articleIds]) => ({ name, articleIds }));
}

/** Returns the path of an address without language tags, which say nothing about the subject. */
function toSegments(place: string): string[] {
  const segments = URL.parse(place)?.pathname.split('/').filter(Boolean) ?? [];
  return segments.filter((segment, at) => at > 1 || !/^[a-z]{2}([-_][a-z]{2})?$/i.test(segment));
}

function countShared(paths: readonly (readonly string[])[]): number {
  const [first = []] = paths;
  const differs = first.findIndex((segment, at) => paths.some((path) => path[at] !== segment));
  return differs < 0 ? first.length : differs;
}

/** `gift-cards` becomes `Gift cards`. */
function toName(segment: string): string {
  const words = decode(segment)
    .replace(/\.\w+$/, '')
    .replace(/[-_+]+/g, ' ')
    .trim();
  return words.slice(0, 1).toLocaleUpperCase() + words.slice(1);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** How pages for questions to people are called in the languages of the dashboard. */
const CONTACT =
  /^(contact|contact-us|kontakt|contacto|contacter|contactez-nous|nous-contacter|contato|fale-conosco|support|inquiry|toiawase|お問い合わせ)$/i;

/** Returns the address of the page where visitors reach a person, if one of the addresses looks like it. */
export function suggestContact(places: readonly string[]): string | undefined {
  return places.find((place) => {
    const last = toSegments(place).at(-1);
    return (
      place.startsWith('https:') && last !== undefined && CONTACT.test(decode(last).replace(/\.\w+$/, ''))
    );
  });
}

const QUESTIONS_MAX = 3;

/** Returns three titles for the greeting: questions first, and from different groups where they can be. */
export function suggestQuestions(texts: readonly FoundText[], groups: readonly Group[]): readonly string[] {
  const groupOf = ({ articleId }: FoundText) =>
    groups.find(({ articleIds }) => articleIds.includes(articleId));
  const spread = (some: readonly FoundText[]) => {
    const firsts = [...Map.groupBy(some, groupOf).values()].map(([first]) => first!);
    return [...new Set([...firsts, ...some])];
  };
  const isQuestion = ({ title }: FoundText) => /[?？؟\u037e]\s*$/.test(title);
  const others = texts.filter((text) => !isQuestion(text));
  const ordered = [...spread(texts.filter(isQuestion)), ...spread(others)];
  return ordered.slice(0, QUESTIONS_MAX).map(({ title }) => title);
}
