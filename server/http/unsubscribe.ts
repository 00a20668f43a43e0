import { createHash } from 'node:crypto';
import type { Express, Request } from 'express';
import { parseAcceptLanguage } from '../base/locale.ts';
import { throwApiError } from './errors.ts';
import { HTML } from './static.ts';

/** Writes what the page behind a link in a mail says, as HTML: a question with a button, or that the mail is off. */
export type RenderUnsubscribePage = (
  locales: readonly string[],
  isDone: boolean,
) => { locale: string; body: string };

type Deps = { unsubscribe: (token: string) => Promise<boolean>; render: RenderUnsubscribePage };

/**
 * Mounts the page that turns a mail off without a sign-in. Only a POST does, by its button or by a mail program (RFC 8058):
 * programs open links to look for harm. The body is not read.
 */
export function mountUnsubscribe(app: Express, { unsubscribe, render }: Deps): void {
  const toPage = ({ headers }: Request, isDone: boolean) =>
    toDocument(render(parseAcceptLanguage(headers['accept-language']).wanted, isDone));
  app
    .route('/mail/unsubscribe/:token')
    .all((_request, response, next) => {
      response.setHeader('content-security-policy', CONTENT_SECURITY_POLICY);
      response.setHeader('referrer-policy', 'no-referrer');
      response.setHeader('cache-control', 'no-store');
      next();
    })
    .get((request, response) => {
      response.type(HTML).send(toPage(request, false));
    })
    .post(async (request, response) => {
      if (!(await unsubscribe(request.params.token))) throwApiError('request/not_found', 'no such link');
      response.type(HTML).send(toPage(request, true));
    });
}

const STYLE =
  'body{max-width:32rem;margin:3rem auto;padding:0 1rem;font:1rem/1.5 system-ui,sans-serif}button{font:inherit;padding:.6rem 1.2rem}';
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const CONTENT_SECURITY_POLICY = `default-src 'none'; base-uri 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'; frame-ancestors 'none'`;

const toDocument = ({ locale, body }: ReturnType<RenderUnsubscribePage>) =>
  `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>Guidepost</title><style>${STYLE}</style></head><body><main><h1>Guidepost</h1>${body}</main></body></html>`;
