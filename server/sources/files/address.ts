import { LIMITS } from '../../../contract/limits.ts';

/** Returns where visitors open a file; undefined without a base URL, or for a path that leads out of it. */
export function toFileAddress(baseUrl: string | undefined, path: string): string | undefined {
  if (baseUrl === undefined) return undefined;
  const parts = path.toWellFormed().split('/').map(encodePart);
  const address = `${baseUrl}${parts.join('/')}`;
  // URL.parse resolves `..`, so the result differs.
  const isBelow = URL.parse(address)?.href === address;
  return isBelow && address.length <= ADDRESS_CHARS_MAX ? address : undefined;
}

/** Leaves room for a page number. */
const ADDRESS_CHARS_MAX = LIMITS.urlCharsMax - 20;

/** Encodes brackets too, which would end a link in Markdown. */
const encodePart = (part: string) =>
  encodeURIComponent(part).replace(/[()]/g, (sign) => (sign === '(' ? '%28' : '%29'));
