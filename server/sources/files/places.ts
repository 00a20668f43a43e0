import { toSlug } from '../../knowledge/article-content.ts';

/** Creates a function that returns the place of a part of a file, such as `manual.pdf#paper-jams`, by its title. */
export function createPlaceNamer(file: string): (title: string) => string {
  const counts = new Map<string, number>();
  return (title) => {
    const slug = toSlug(title);
    const count = (counts.get(slug) ?? 0) + 1;
    counts.set(slug, count);
    return `${file}#${slug}${count === 1 ? '' : `-${count}`}`;
  };
}
