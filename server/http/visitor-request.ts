import { createHash } from 'node:crypto';
import { throwApiError } from './errors.ts';

/** Parts of the requests of visitors. */

/** The page must belong to the origin of the visitor token. */
export function parsePageUrl(text: string, origin: string): URL {
  if (!URL.canParse(text)) {
    return throwApiError('request/invalid', 'url', {
      issues: [
        {
          path: 'body.url',
          code: 'invalid_url',
          message: 'Expected the full http or https address of the page.',
        },
      ],
    });
  }
  const url = new URL(text);
  if (url.origin !== origin) throwApiError('chat/url_mismatch', url.origin);
  return url;
}

/** Validated bodies have their members in the order of the contract, so equal requests have equal hashes. */
export function hashBody(body: object): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}
