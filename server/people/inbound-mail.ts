import { createHash } from 'node:crypto';
import { z } from 'zod';
import { encodeId } from '../base/ids.ts';
import { truncate } from '../base/text.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handover } from '../storage/handovers.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { ReplyAddresses } from './reply-address.ts';
import { type ReplyDeps, storeReply } from './store-reply.ts';

/** Replies by mail: the inbound webhook of Postmark (https://postmarkapp.com/developer/webhooks/inbound-webhook). */

type Deps = ReplyDeps & { store: Store; replyAddresses: ReplyAddresses | undefined };

const address = z.looseObject({ Email: z.string() });
/** The fields that are read. Later versions of the format may add some. */
const inboundMail = z.looseObject({
  MessageID: z.string().min(1),
  OriginalRecipient: z.string().default(''),
  FromFull: address,
  ToFull: z.array(address).default([]),
  CcFull: z.array(address).default([]),
  Date: z.string().default(''),
  TextBody: z.string().default(''),
  HtmlBody: z.string().default(''),
  Headers: z.array(z.looseObject({ Name: z.string(), Value: z.string() })).default([]),
});
type InboundMail = z.infer<typeof inboundMail>;

/** What became of a mail. All but `stored` leave everything as it was. */
type Outcome =
  | 'stored'
  | 'repeated'
  | 'unknown_address'
  | 'automatic'
  | 'from_visitor'
  | 'empty'
  | 'too_many_replies';

/** `sender` is the address that the quoted mail came from. */
export function createMailReceiver(sender: string, deps: Deps) {
  return async (posted: unknown): Promise<{ outcome: Outcome; mail: string }> => {
    const { data: mail } = inboundMail.safeParse(posted);
    if (!mail) return throwApiError('request/invalid', 'not the format of inbound mail');
    return { outcome: await receiveMail(mail, sender, deps), mail: truncate(mail.MessageID, 64) };
  };
}

async function receiveMail(mail: InboundMail, sender: string, deps: Deps): Promise<Outcome> {
  const addressed = await findHandover(mail, deps);
  if (!addressed) return 'unknown_address';
  const { workspace, handover } = addressed;
  if (isAutomatic(mail)) return 'automatic';
  // A visitor may be among those who get a mail of the desk, and answer all of them.
  if (mail.FromFull.Email.trim().toLowerCase() === handover.email.toLowerCase()) return 'from_visitor';
  // Most installations never read a mail.
  const { readReplyText } = await import('./reply-text.ts');
  const text = readReplyText({ text: mail.TextBody, html: mail.HtmlBody }, sender);
  if (text === undefined) return 'empty';
  const reply = { id: toReplyId(mail, handover), handoverId: handover.id, text, createdBy: 'mail' };
  const { outcome } = await storeReply(workspace, reply, deps);
  const outcomes = {
    added: 'stored',
    repeated: 'repeated',
    gone: 'unknown_address',
    too_many: 'too_many_replies',
  } as const;
  return outcomes[outcome];
}

/** Finds the handover whose signed address the mail went to. */
async function findHandover(
  { OriginalRecipient, ToFull, CcFull }: InboundMail,
  { store, replyAddresses }: Deps,
): Promise<{ workspace: Workspace; handover: Handover } | undefined> {
  const recipients = [OriginalRecipient, ...[...ToFull, ...CcFull].map(({ Email }) => Email)];
  for (const recipient of new Set(recipients.slice(0, RECIPIENTS_MAX))) {
    const id = replyAddresses?.parse(recipient);
    const workspaceId = id && (await store.findHandoverWorkspace(id));
    if (!id || !workspaceId || !replyAddresses?.isGenuine(recipient, workspaceId, id)) continue;
    const workspace = await store.workspaces.find(workspaceId);
    const handover = workspace && (await store.in(workspaceId).handovers.find(id));
    if (handover) return { workspace, handover };
  }
  return undefined;
}

const RECIPIENTS_MAX = 20;

/** Whether a program has written the mail, such as an out-of-office reply (RFC 3834) or a report about delivery. */
function isAutomatic({ Headers }: InboundMail): boolean {
  return Headers.some(({ Name, Value }) => {
    const [name, value] = [Name.toLowerCase(), Value.trim().toLowerCase()];
    if (name === 'auto-submitted') return value !== 'no';
    if (name === 'precedence') return /^(?:auto_reply|bulk|junk)$/.test(value);
    if (name === 'return-path') return value === '<>';
    return name === 'x-autoreply' || name === 'x-autorespond' || name === 'x-failed-recipients';
  });
}

const UUID_TIME_BYTES = 6;

/** The id follows from the mail, so that a mail that is sent again is the same reply. Replies sort by time. */
function toReplyId(mail: InboundMail, { id, createdAt }: Handover): string {
  const messageId = mail.Headers.find(({ Name }) => Name.toLowerCase() === 'message-id')?.Value;
  const uuid = createHash('sha256')
    .update(`${id} ${messageId ?? mail.MessageID}`)
    .digest()
    .subarray(0, 16);
  const written = Date.parse(mail.Date);
  const isPlausible = written > createdAt && written < createdAt + PLAUSIBLE_MILLIS;
  uuid.writeUIntBE(isPlausible ? written : createdAt, 0, UUID_TIME_BYTES);
  uuid[6] = 0x70 | (uuid[6]! & 0x0f);
  uuid[8] = 0x80 | (uuid[8]! & 0x3f);
  return encodeId('hor', uuid);
}

/** Conversations are not kept longer. */
const PLAUSIBLE_MILLIS = 3650 * 24 * 60 * 60_000;
