import type { RenderUnsubscribePage } from '../http/unsubscribe.ts';
import { getMailLanguage, toMailLocale } from './mail-languages.ts';
import { escapeHtml } from './render-mail.ts';

/** The page has no style: browsers show it in the reader's colours and size. */
export const renderUnsubscribePage: RenderUnsubscribePage = (locales, isDone) => {
  const locale = toMailLocale(locales);
  const { question, button, done } = getMailLanguage(locale).unsubscribe;
  const body = isDone
    ? `<p role="status">${escapeHtml(done)}</p>`
    : `<p>${escapeHtml(question)}</p><form method="post"><button>${escapeHtml(button)}</button></form>`;
  return `<!doctype html><html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><meta name="robots" content="noindex"><title>Guidepost</title></head><body><main><h1>Guidepost</h1>${body}</main></body></html>`;
};
