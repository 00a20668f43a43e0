import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether the browser sent a Global Privacy Control signal: the header `Sec-GPC` with exactly the value `1`, or the
 * page's own reading of `navigator.globalPrivacyControl`. A `false` in the body does not cancel the header.
 */
export function hasGpcSignal(signal: {
  readonly secGpc: string | readonly string[] | undefined;
  readonly bodyGpc: boolean | undefined;
}): boolean {
  return signal.bodyGpc === true || isSecGpcSet(signal.secGpc);
}

export function hasGpcHeader(headers: IncomingHttpHeaders): boolean {
  return isSecGpcSet(headers['sec-gpc']);
}

/** With repeated headers, which Node joins with commas, a single `1` is enough. */
function isSecGpcSet(secGpc: string | readonly string[] | undefined): boolean {
  if (secGpc === undefined) return false;
  const lines = typeof secGpc === 'string' ? [secGpc] : secGpc;
  return lines.some((line) => line.split(',').some((value) => value.trim() === '1'));
}

/** The body of `/.well-known/gpc.json`, served as `application/json`: this service honours the signal. */
export type GpcDocument = { readonly gpc: true; readonly lastUpdate: string };

/** `lastUpdate` is the day (`YYYY-MM-DD`) of the statement's last change. Throws a RangeError for anything else. */
export function gpcDocument(lastUpdate: string): GpcDocument {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(lastUpdate) || Number.isNaN(Date.parse(lastUpdate))) {
    throw new RangeError(`not a full date: ${lastUpdate}`);
  }
  return { gpc: true, lastUpdate };
}
