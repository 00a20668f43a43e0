import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

/** Servers that speak the documented protocols of help desks: what they require, and how they answer. */

type Call = { path: string; headers: IncomingHttpHeaders; body: unknown };
type Answer = { status: number; body: unknown };
/** Returns undefined for a path that the desk does not have. */
type Desk = (call: Call) => Answer | undefined;

export type FakeDesk = {
  url: string;
  /** Answers the next requests with this status. */
  failWith(...statuses: number[]): void;
  close(): Promise<void>;
};

export async function openDesk(desk: Desk): Promise<FakeDesk> {
  const failures: number[] = [];
  const server = createServer(async (request, response) => {
    const body = await json(request).catch(() => undefined);
    const status = failures.shift();
    const isJson = request.headers['content-type'] === 'application/json' && request.method === 'POST';
    const answer = status
      ? { status, body: 'try again' }
      : ((isJson ? desk({ path: request.url!, headers: request.headers, body }) : undefined) ?? NOT_FOUND);
    const isText = typeof answer.body === 'string';
    response.writeHead(answer.status, { 'content-type': isText ? 'text/html' : 'application/json' });
    response.end(isText ? answer.body : JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failWith: (...statuses) => void failures.push(...statuses),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

const NOT_FOUND: Answer = { status: 404, body: { error: 'not found' } };
const basic = (credentials: string) => `Basic ${btoa(credentials)}`;

/** Adds a body that has the required form, or returns what is wrong. */
function take<T>(into: T[], schema: z.ZodType<T>, body: unknown, taken: Answer, refused: number): Answer {
  const { data, error } = schema.safeParse(body);
  if (error) return { status: refused, body: { error: error.message } };
  into.push(data);
  return taken;
}

export const slackMessage = z.strictObject({ text: z.string().min(1).max(40_000) });
export const SLACK_PATH = '/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX';
export const speakSlack =
  (messages: z.infer<typeof slackMessage>[]): Desk =>
  ({ path, body }) =>
    path === SLACK_PATH
      ? take(messages, slackMessage, body, { status: 200, body: 'ok' }, 400)
      : { status: 403, body: 'invalid_token' };

export const zendeskTicket = z.strictObject({
  ticket: z.strictObject({
    subject: z.string().max(150),
    comment: z.strictObject({ body: z.string().min(1) }),
    requester: z.strictObject({ name: z.string().min(1), email: z.email() }),
    external_id: z.string(),
  }),
});
/** A repeated Idempotency-Key gets the ticket that exists. */
export function speakZendesk(tickets: z.infer<typeof zendeskTicket>[], credentials: string): Desk {
  const keys = new Set<unknown>();
  return ({ path, headers, body }) => {
    if (path !== '/api/v2/tickets.json') return undefined;
    if (headers.authorization !== basic(credentials))
      return { status: 401, body: { error: "Couldn't authenticate you" } };
    const key = headers['idempotency-key'];
    const created = { status: 201, body: { ticket: { id: 35436 } } };
    if (keys.has(key)) return created;
    keys.add(key);
    return take(tickets, zendeskTicket, body, created, 422);
  };
}

export const freshdeskTicket = z.strictObject({
  email: z.email(),
  name: z.string().optional(),
  subject: z.string().min(1).max(255),
  description: z.string().min(1),
  status: z.union([z.literal(2), z.literal(3), z.literal(4), z.literal(5)]),
  priority: z.int().min(1).max(4),
  tags: z.array(z.string().max(32)),
});
export const speakFreshdesk =
  (tickets: z.infer<typeof freshdeskTicket>[], apiKey: string): Desk =>
  ({ path, headers, body }) => {
    if (path !== '/api/v2/tickets') return undefined;
    if (headers.authorization !== basic(`${apiKey}:X`))
      return { status: 401, body: { code: 'invalid_credentials', message: 'You have to be logged in.' } };
    return take(tickets, freshdeskTicket, body, { status: 201, body: { id: 1 } }, 400);
  };

const intercomQuery = z.strictObject({
  query: z.strictObject({ field: z.literal('email'), operator: z.literal('='), value: z.string() }),
});
const intercomContact = z.strictObject({
  role: z.enum(['user', 'lead']),
  email: z.email(),
  name: z.string().optional(),
});
export const intercomConversation = z.strictObject({
  from: z.strictObject({ type: z.enum(['user', 'lead', 'contact']), id: z.string() }),
  body: z.string().min(1),
});
export function speakIntercom(
  conversations: z.infer<typeof intercomConversation>[],
  contacts: z.infer<typeof intercomContact>[],
  accessToken: string,
): Desk {
  const show = (contact: z.infer<typeof intercomContact>) => ({
    ...{ type: 'contact', id: `contact-${contacts.indexOf(contact)}` },
    ...contact,
  });
  return ({ path, headers, body }) => {
    if (headers.authorization !== `Bearer ${accessToken}` || headers['intercom-version'] === undefined)
      return { status: 401, body: { type: 'error.list', errors: [{ code: 'unauthorized' }] } };
    if (path === '/contacts/search') {
      const { query } = intercomQuery.parse(body);
      const data = contacts.filter(({ email }) => email === query.value).map(show);
      return { status: 200, body: { type: 'list', data, total_count: data.length } };
    }
    if (path === '/contacts') {
      const contact = intercomContact.parse(body);
      contacts.push(contact);
      return { status: 200, body: show(contact) };
    }
    if (path !== '/conversations') return undefined;
    const created = { status: 200, body: { type: 'user_message', conversation_id: '1' } };
    return take(conversations, intercomConversation, body, created, 400);
  };
}

const chatwootContact = z.strictObject({ identifier: z.string(), email: z.email(), name: z.string() });
export const chatwootMessage = z.strictObject({ content: z.string().min(1), echo_id: z.string() });
export function speakChatwoot(messages: z.infer<typeof chatwootMessage>[], inboxIdentifier: string): Desk {
  const inbox = `/public/api/v1/inboxes/${inboxIdentifier}`;
  const contacts: z.infer<typeof chatwootContact>[] = [];
  return ({ path, body }) => {
    if (path === `${inbox}/contacts`)
      return take(contacts, chatwootContact, body, { status: 200, body: { source_id: 'source-1' } }, 422);
    if (path === `${inbox}/contacts/source-1/conversations`)
      return { status: 200, body: { id: 7, inbox_id: 1, messages: [] } };
    if (path !== `${inbox}/contacts/source-1/conversations/7/messages`) return undefined;
    return take(messages, chatwootMessage, body, { status: 200, body: { id: 1, message_type: 0 } }, 422);
  };
}
