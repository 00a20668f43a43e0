import { request, type SendToDesk, toText } from './receive.ts';

/** Posts into a channel: https://api.slack.com/messaging/webhooks. A message that is sent again appears twice. */
export const createSlack =
  (webhookUrl: string): SendToDesk =>
  async (question) => {
    const who = escapeText(`${question.name ?? ''} <${question.email}>`.trim());
    await request(webhookUrl, {}, { text: `*${who}*\n${escapeText(toText(question))}` });
  };

/** Without these three, nothing in a text mentions anybody or becomes a link with another name. */
const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
