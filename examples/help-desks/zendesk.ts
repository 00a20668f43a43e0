import { basic, request, type SendToDesk, toText } from './receive.ts';

type Zendesk = { url: string; email: string; apiToken: string };

/** Creates a ticket of the visitor: https://developer.zendesk.com/api-reference/ticketing/tickets/tickets/#create-ticket. */
export const createZendesk =
  ({ url, email, apiToken }: Zendesk): SendToDesk =>
  async (question, id) => {
    const headers = { authorization: basic(`${email}/token`, apiToken), 'idempotency-key': id };
    const requester = { name: question.name ?? question.email, email: question.email };
    const ticket = {
      subject: question.message.slice(0, 80),
      comment: { body: toText(question) },
      requester,
      external_id: question.id,
    };
    await request(`${url}/api/v2/tickets.json`, headers, { ticket });
  };
