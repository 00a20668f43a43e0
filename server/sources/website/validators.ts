import type { Validators } from '../document.ts';

/**
 * Stores the hash of a page's text with its entity tag: a 304 response does not contain the text, and
 * pages with the same text must still be recognized.
 */
export function packValidators(validators: Validators, textHash: string): Validators {
  if (validators.etag === undefined && validators.lastModified === undefined) return validators;
  return { ...validators, etag: `${validators.etag ?? ''} ${textHash}` };
}

export function unpackValidators({ etag, lastModified }: Validators): Validators & { textHash?: string } {
  const [, own, textHash] = /^(.*) ([\da-f]{64})$/.exec(etag ?? '') ?? [];
  return {
    ...(own ? { etag: own } : {}),
    lastModified,
    textHash,
  };
}
