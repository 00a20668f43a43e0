import type { Express, Request } from 'express';
import { parseAcceptLanguage } from '../base/locale.ts';
import { throwApiError } from './errors.ts';
import { HTML } from './static.ts';

/** Writes the page behind a link in a mail: a question with a button, or that the mail is off. */
export type RenderUnsubscribePage = (locales: readonly string[], isDone: boolean) => string;

type Deps = { unsubscribe: (token: string) => Promise<boolean>; render: RenderUnsubscribePage };

/**
 * Mounts the page that turns a mail off without a sign-in. Only a POST does, by its button or by a mail program (RFC 8058):
 * programs open links to look for harm. The body is not read.
 */
export function mountUnsubscribe(app: Express, { unsubscribe, render }: Deps): void {
  const toPage = ({ headers }: Request, isDone: boolean) =>
    render(parseAcceptLanguage(headers['accept-language']).wanted, isDone);
  app
    .route('/mail/unsubscribe/:token')
    .all((_request, response, next) => {
      response.setHeader(
        'content-security-policy',
        "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      );
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
