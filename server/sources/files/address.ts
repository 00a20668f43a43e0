import { LIMITS } from '../../../contract/limits.ts';

/** Where visitors open a file of a source; undefined without a base, and for a path that would lead out of it. */
export function toFileAddress(baseUrl: string | undefined, path: string): string | undefined {
  if (baseUrl === undefined) return undefined;
  const parts = path.toWellFormed().split('/').map(encodePart);
  const address = `${baseUrl}${parts.join('/')}`;
  // A URL resolves `..`.
  const isBelow = URL.parse(address)?.href === address;
  return isBelow && address.length <= ADDRESS_CHARS_MAX ? address : undefined;
}

/** Leaves room for a page number. */
const ADDRESS_CHARS_MAX = LIMITS.urlCharsMax - 20;

/** Brackets would end a link in Markdown. */
const encodePart = (part: string) =>
  encodeURIComponent(part).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
