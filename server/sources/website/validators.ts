import type { Validators } from '../document.ts';

/**
 * A 304 response does not contain the page's text. The hash of its text is therefore stored with its entity tag, so that pages with the same text
 * are still recognized.
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
