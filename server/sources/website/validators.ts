import type { Validators } from '../document.ts';

/**
 * A page that answers 304 does not say its text again. The hash of its text is therefore kept with its entity tag, so that a page with
 * the same text is still known.
 */
export function packValidators(validators: Validators, textHash: string): Validators {
  if (validators.etag === undefined && validators.lastModified === undefined) return validators;
  return { ...validators, etag: `${validators.etag ?? ''} ${textHash}` };
}

export function unpackValidators({
  etag,
  lastModified,
}: Validators): Validators & { readonly textHash?: string } {
  const [, own, textHash] = /^(.*) ([\da-f]{64})$/.exec(etag ?? '') ?? [];
  return {
    ...(own ? { etag: own } : {}),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(textHash === undefined ? {} : { textHash }),
  };
}
