/** A request of the suite and its response, as they went over the wire. */
export type Exchange = {
  readonly operationId: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly status: number;
  readonly contentType: string;
  readonly response: string;
};

/** A string with the colon that makes it a name, or a number. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;
const REPEATED_ITEMS = /(\{[^{}[\]]*\},)\1+/g;
const REPEATED_VALUES = /([sn]),(?:[sn],)*(?=[sn])/g;

/** Equal for exchanges that differ only in values: same operation, status, fields and kinds of values. */
export function toShape(exchange: Exchange): string {
  const { operationId, url, headers, body, status, response } = exchange;
  const responseShape = omitValues(response);
  // Only the response is validated, and operations share their errors.
  if (status >= 400 && ![400, 409, 415].includes(status)) return [status, responseShape].join(' ');
  const query = url.includes('?') ? [...new URLSearchParams(url.split('?')[1]).keys()].sort().join() : '';
  return [operationId, status, query, headers['content-type'], omitValues(body), responseShape].join(' ');
}

/** The text of a JSON value without its values, and with one item of each kind. */
export function omitValues(text: string): string {
  return text
    .replace(STRING_OR_NUMBER, (found, colon) => (colon ? found : found.startsWith('"') ? 's' : 'n'))
    .replace(REPEATED_VALUES, '')
    .replace(REPEATED_ITEMS, '$1');
}

/** Media types are case-insensitive. */
export function isForm(headers: Readonly<Record<string, string | undefined>>): boolean {
  return headers['content-type']?.toLowerCase().startsWith('multipart/') ?? false;
}
