import { createHash } from 'node:crypto';
import type { chat } from '../../contract/chat.ts';
import { LIMITS } from '../../contract/limits.ts';
import { gpcSignalled } from '../consent/gpc.ts';
import type { VisitorConsent } from '../consent/visitor-consent.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, RequestContext, SseEvent } from '../http/handler.ts';
import type { Conversation, Turn } from '../storage/conversations.ts';
import type { Counted } from './analytics-events.ts';
import type { CleanPage } from './capture.ts';
import { isUsableScreenshot } from './screenshot.ts';
import type { Asking, Notice } from './turn.ts';

/** The rules of a chat request, without storage and without time. */
export type ChatAsked = HandlerInput<typeof chat.sendMessage>;

/** The page must be one of the origin that the token is for. */
export function pageAddress(text: string, origin: string): URL {
  if (!URL.canParse(text)) {
    return throwApiError('request/invalid', 'url', {
      issues: [
        {
          path: 'body.url',
          code: 'invalid_url',
          message: 'Expected the full http or https address of the page.',
        },
      ],
    });
  }
  const url = new URL(text);
  if (url.origin !== origin) throwApiError('chat/url_mismatch', url.origin);
  return url;
}

export function mayContinue(conversation: Conversation, visitorId: string): boolean {
  return (
    conversation.visitorId === visitorId &&
    !conversation.ended &&
    conversation.turnCount < LIMITS.turnsPerConversationMax
  );
}

export function countedAs(
  consent: VisitorConsent,
  visitorId: string,
  conversationId: string | undefined,
): Counted | undefined {
  if (consent.counting === 'none') return undefined;
  if (consent.counting === 'anonymous') return {};
  return { visitorId, ...(conversationId === undefined ? {} : { conversationId }) };
}

export function hasGpc(ctx: RequestContext): boolean {
  return gpcSignalled({ secGpc: ctx.headers['sec-gpc'], bodyGpc: undefined });
}

/** The screenshot where it may be read and is one; else, where one came, why it was left out. */
export function screenshotOf(
  { viewport_screenshot: screenshot }: ChatAsked['body'],
  isAllowed: boolean,
): { readonly screenshot?: NonNullable<Asking['screenshot']>; readonly notice?: Notice } {
  const dropped = (text: string) => ({ notice: { code: 'screenshot_dropped', text } as const });
  if (!screenshot) return {};
  if (!isAllowed) return dropped('Screenshots are not read for this visitor.');
  if (!isUsableScreenshot(screenshot)) return dropped('The screenshot is not a JPEG of an accepted size.');
  return { screenshot: { mime: 'image/jpeg', base64: screenshot.data } };
}

export function noticesFor({ dom_digest: digest }: ChatAsked['body'], page: CleanPage): Notice[] {
  const notices: Notice[] = [];
  if (page.targetsDropped > 0)
    notices.push({ code: 'targets_dropped', text: `${page.targetsDropped} targets were not kept.` });
  if (digest.length > LIMITS.digestCharsKept)
    notices.push({ code: 'capture_cut', text: 'The page digest was cut.' });
  return notices;
}

/** Validated bodies have their members in the order of the contract, so equal requests hash alike. */
export function hashOf(body: ChatAsked['body']): string {
  return createHash('sha256').update(JSON.stringify(body)).digest('base64url');
}

export function resumeAt(lastEventId: string | undefined, messageId: string): number {
  const [message, seq] = (lastEventId ?? '').split(':');
  return message === messageId && /^\d{1,7}$/.test(seq ?? '') ? Number(seq) + 1 : 0;
}

export function framesOf(turn: Turn): SseEvent[] {
  return turn.frames.map((data, seq) => ({
    id: `${turn.messageId}:${seq}`,
    event: (JSON.parse(data) as { type: string }).type,
    data,
  }));
}

export async function* replay(frames: readonly SseEvent[], from: number): AsyncGenerator<SseEvent> {
  yield* frames.slice(from);
}
