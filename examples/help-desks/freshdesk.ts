import { basic, request, type SendToDesk, toText } from './receive.ts';

type Freshdesk = { url: string; apiKey: string };

const [OPEN, MEDIUM] = [2, 2];

/** Creates a ticket of the visitor: https://developers.freshdesk.com/api/#create_ticket. */
export const createFreshdesk =
  ({ url, apiKey }: Freshdesk): SendToDesk =>
  async (question) => {
    await request(
      `${url}/api/v2/tickets`,
      { authorization: basic(apiKey, 'X') },
      {
        ...{ email: question.email, ...(question.name && { name: question.name }) },
        subject: question.message.slice(0, 80),
        description: toHtml(toText(question)),
        ...{ status: OPEN, priority: MEDIUM, tags: [question.id] },
      },
    );
  };

/** The description is HTML. */
const toHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`).replaceAll('\n', '<br>');
