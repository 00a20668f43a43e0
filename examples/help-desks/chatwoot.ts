import { request, type SendToDesk, toText } from './receive.ts';

type Chatwoot = { url: string; inboxIdentifier: string };

/** Begins a conversation in an inbox of the kind API: https://developers.chatwoot.com/api-reference (public API). */
export const createChatwoot =
  ({ url, inboxIdentifier }: Chatwoot): SendToDesk =>
  async (question, id) => {
    const inbox = `${url}/public/api/v1/inboxes/${inboxIdentifier}`;
    // The same identifier is the same contact.
    const contact = {
      identifier: question.email,
      email: question.email,
      name: question.name ?? question.email,
    };
    const { source_id } = await request<{ source_id: string }>(`${inbox}/contacts`, {}, contact);
    const conversations = `${inbox}/contacts/${source_id}/conversations`;
    const conversation = await request<{ id: number }>(conversations, {}, {});
    const message = { content: toText(question), echo_id: id };
    await request(`${conversations}/${conversation.id}/messages`, {}, message);
  };
