import type { WebhookData } from '../../contract/webhook-events.ts';
import { toIsoString } from '../base/clock.ts';
import type { Handover, HandoverReply, Notices } from '../storage/handovers.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { ComposeMail } from './compose-mail.ts';

/** Who is told of a handover: the desk and webhooks when a visitor asks, the visitor and webhooks when somebody replies. */

type Turn = { question: string; answer: string };

const readTranscript = ({ transcript }: Handover): readonly Turn[] =>
  transcript === undefined ? [] : (JSON.parse(transcript) as Turn[]);

export async function toCreatedNotices(
  handover: Handover,
  { id: workspaceId, name: workspace, settings }: Workspace,
  composeMail: ComposeMail,
  baseUrl: string,
): Promise<Notices<'handover.created'>> {
  const to = settings.handover?.email;
  const { id, message, name, email, pageUrl, locale, visitorId } = handover;
  const draft = to !== undefined && {
    ...{ workspaceId, visitorId, to, template: 'handover_to_desk' as const },
    locales: [settings.sourceLocale],
    replyTo: { name: name ?? '', address: email },
    values: {
      ...{ workspace, who: name ?? email, email, message, page: pageUrl, language: locale },
      transcript: readTranscript(handover).map(({ question, answer }) => ({
        text: question,
        detail: answer,
      })),
      link: new URL(`/dashboard/w/${workspaceId}/handovers#${id}`, baseUrl).href,
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
  const turns = readTranscript(handover);
  return {
    ...{ id, state, message, name, email, page_url: pageUrl, locale },
    created_at: toIsoString(createdAt),
    conversation_id: conversationId ?? null,
    transcript:
      turns.length === 0
        ? null
        : turns.map(({ question, answer }) => `Visitor: ${question}\nGuide: ${answer}`).join('\n'),
  };
}
