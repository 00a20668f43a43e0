/**
 * Whether the browser sent a Global Privacy Control signal: the header `Sec-GPC` with exactly the value `1`, or the
 * page's own reading of `navigator.globalPrivacyControl`. Of several header lines one `1` is enough (Node joins them
 * with commas); every other value counts for nothing, and a `false` in the body cancels nothing.
 */
export function gpcSignalled(signal: {
  readonly secGpc: string | readonly string[] | undefined;
  readonly bodyGpc: boolean | undefined;
}): boolean {
  return signal.bodyGpc === true || headerSignals(signal.secGpc);
}

function headerSignals(secGpc: string | readonly string[] | undefined): boolean {
  if (secGpc === undefined) return false;
  const lines = typeof secGpc === 'string' ? [secGpc] : secGpc;
  return lines.some((line) => line.split(',').some((value) => value.trim() === '1'));
}

/** The body of `/.well-known/gpc.json`, served as `application/json`: this service honours the signal. */
export type GpcDocument = { readonly gpc: true; readonly lastUpdate: string };

/** `lastUpdate` is the day (`YYYY-MM-DD`) since when the statement stands. Throws a RangeError for anything else. */
export function gpcDocument(lastUpdate: string): GpcDocument {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(lastUpdate) || Number.isNaN(Date.parse(lastUpdate))) {
    throw new RangeError(`not a full date: ${lastUpdate}`);
  }
  return { gpc: true, lastUpdate };
}
