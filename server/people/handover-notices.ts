import type { WebhookData } from '../../contract/webhook-events.ts';
import { toIsoString } from '../base/clock.ts';
import type { Handover, HandoverReply, Notices } from '../storage/handovers.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { ComposeMail } from './compose-mail.ts';
import { toMailLocale } from './mail-languages.ts';
import { REPLY_MARK, type ReplyAddresses } from './reply-address.ts';

/** Who is told of a handover: the desk and webhooks when a visitor asks, the visitor and webhooks when somebody replies. */

export type NoticeDeps = {
  composeMail: ComposeMail;
  baseUrl: () => string;
  /** Absent where nobody answers by mail. */
  replyAddresses: ReplyAddresses | undefined;
};

/** Returns the name of a language in the language of the mail, such as `Greek`. */
const nameLanguage = (locale: string, sourceLocale: string) =>
  new Intl.DisplayNames([toMailLocale([sourceLocale], 'handover_to_desk')], { type: 'language' }).of(locale)!;

type Turn = { question: string; answer: string };

export const readTranscript = ({ transcript }: Pick<Handover, 'transcript'>): readonly Turn[] =>
  transcript === undefined ? [] : (JSON.parse(transcript) as Turn[]);

export async function toCreatedNotices(
  handover: Handover,
  { id: workspaceId, name: workspace, settings }: Workspace,
  { composeMail, baseUrl, replyAddresses }: NoticeDeps,
): Promise<Notices<'handover.created'>> {
  const to = settings.handover?.email;
  const { id, message, name, email, pageUrl, locale, visitorId, summary = '' } = handover;
  const who = name ?? email;
  const address = replyAddresses?.make(workspaceId, id);
  const draft = to !== undefined && {
    ...{ workspaceId, visitorId, to, template: 'handover_to_desk' as const },
    locales: [settings.sourceLocale],
    replyTo: { name: name ?? '', address: address ?? email },
    values: {
      ...{ workspace, who, message, page: pageUrl, summary },
      language: nameLanguage(locale, settings.sourceLocale),
      ...(address ? { mark: REPLY_MARK, visitor: who } : { email }),
      transcript: readTranscript(handover).map(({ question, answer }) => ({
        text: question,
        detail: answer,
      })),
      link: new URL(`/dashboard/w/${workspaceId}/handovers#${id}`, baseUrl()).href,
    },
  };
  return { mail: draft ? await composeMail(draft) : undefined, payload: toPayload(handover) };
}

export async function toRepliedNotices(
  handover: Handover,
  { text, createdAt }: HandoverReply,
  { id: workspaceId, name: workspace, settings }: Workspace,
  composeMail: ComposeMail,
): Promise<Notices<'handover.replied'>> {
  const { email: to, locale, message, visitorId } = handover;
  const desk = settings.handover?.email;
  const mail = await composeMail({
    ...{ workspaceId, visitorId, to, template: 'handover_reply_to_visitor' as const, locales: [locale] },
    ...(desk !== undefined && { replyTo: { name: workspace, address: desk } }),
    values: { workspace, message, reply: text },
  });
  const payload = { ...toPayload({ ...handover, state: 'answered' }), reply: text };
  return { mail, payload: { ...payload, replied_at: toIsoString(createdAt) } };
}

function toPayload(handover: Handover): WebhookData<'handover.created'> {
  const { id, state, message, name = null, email, pageUrl, locale, createdAt, conversationId } = handover;
  const { summary = null } = handover;
  const turns = readTranscript(handover);
  return {
    ...{ id, state, message, name, email, page_url: pageUrl, locale },
    created_at: toIsoString(createdAt),
    conversation_id: conversationId ?? null,
    summary,
    transcript:
      turns.length === 0
        ? null
        : turns.map(({ question, answer }) => `Visitor: ${question}\nGuide: ${answer}`).join('\n'),
  };
}
