import type { RenderUnsubscribePage } from '../http/unsubscribe.ts';
import { getMailLanguage, toMailLocale } from './mail-languages.ts';
import { escapeHtml } from './render-mail.ts';

export const renderUnsubscribePage: RenderUnsubscribePage = (locales, isDone) => {
  const locale = toMailLocale(locales, 'weekly_digest');
  const { question, button, done } = getMailLanguage(locale).unsubscribe;
  const body = isDone
    ? `<p role="status">${escapeHtml(done)}</p>`
    : `<p>${escapeHtml(question)}</p><form method="post"><button>${escapeHtml(button)}</button></form>`;
  return { locale, body };
};
