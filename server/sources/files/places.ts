import { toSlug } from '../../knowledge/article-content.ts';

/** Gives each part of a file a place, such as `manual.pdf#paper-jams`, that stays the same when other parts are added. */
export function createPlaces(file: string): (title: string) => string {
  const counts = new Map<string, number>();
  return (title) => {
    const slug = toSlug(title);
    const count = (counts.get(slug) ?? 0) + 1;
    counts.set(slug, count);
    return `${file}#${slug}${count === 1 ? '' : `-${count}`}`;
  };
}
