import { request, type SendToDesk, toText } from './receive.ts';

type Intercom = { url?: string; accessToken: string };
type Contacts = { data: { id: string; role: string }[] };

/**
 * Begins a conversation of the visitor, who becomes a lead unless Intercom knows the address:
 * https://developers.intercom.com/docs/references/rest-api/api.intercom.io/conversations/createconversation.
 */
export const createIntercom =
  ({ url = 'https://api.intercom.io', accessToken }: Intercom): SendToDesk =>
  async (question) => {
    const headers = { authorization: `Bearer ${accessToken}`, 'intercom-version': '2.11' };
    const query = { field: 'email', operator: '=', value: question.email };
    const { data } = await request<Contacts>(`${url}/contacts/search`, headers, { query });
    const lead = { role: 'lead', email: question.email, ...(question.name && { name: question.name }) };
    const contact = data[0] ?? (await request<Contacts['data'][0]>(`${url}/contacts`, headers, lead));
    const from = { type: contact.role === 'user' ? 'user' : 'lead', id: contact.id };
    await request(`${url}/conversations`, headers, { from, body: toText(question) });
  };
