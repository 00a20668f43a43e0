import type { ChatEvent, FinishReason } from '../../contract/chat-event.ts';
import { ERROR_CODES, type ErrorCode } from '../../contract/errors.ts';
import type { SseEvent, SseResponse } from '../http/handler.ts';

/** Encodes an answer as the AI SDK's UI message stream (v1), which `useChat` reads. docs/ai-sdk.md maps the events. */

/** The chunks of the protocol that the encoder emits. */
type UiMessageChunk =
  | { type: 'start'; messageId: string; messageMetadata: object }
  | { type: 'start-step' | 'finish-step' | 'reset-step' }
  | { type: 'text-start' | 'text-end'; id: string }
  | { type: 'text-delta'; id: string; delta: string }
  | PartChunk
  | { type: `data-${string}`; data: object; transient: true }
  | { type: 'finish'; finishReason: UiFinishReason; messageMetadata: object }
  | { type: 'error'; errorText: string };

type UiFinishReason = 'stop' | 'length' | 'content-filter' | 'other';

/** A chunk that adds a complete part to the message; text parts arrive in deltas instead. */
type PartChunk =
  | {
      type: 'source-url';
      sourceId: string;
      url: string;
      title: string;
      providerMetadata: { guidepost: object };
    }
  | {
      type: 'source-document';
      sourceId: string;
      mediaType: 'text/markdown';
      title: string;
      providerMetadata: { guidepost: object };
    }
  | {
      type: 'tool-input-available';
      toolCallId: string;
      toolName: string;
      input: object;
    }
  | { type: `data-${string}`; data: object };

const FINISH_REASONS: Readonly<Record<FinishReason, UiFinishReason>> = {
  stop: 'stop',
  length: 'length',
  refusal: 'content-filter',
  no_knowledge: 'stop',
  cancelled: 'other',
};

/** Encodes the events of one stream, in order. */
export class UiMessageEncoder {
  #messageId = '';
  /** Id of the open text part. */
  #textId: string | undefined;
  #textCount = 0;
  #hasEnded = false;
  #parts: PartChunk[] = [];

  encode(event: ChatEvent): UiMessageChunk[] {
    switch (event.type) {
      case 'message_start': {
        const { message_id: messageId } = event;
        this.#messageId = messageId;
        return [{ type: 'start', messageId, messageMetadata: omitFrame(event) }, { type: 'start-step' }];
      }
      case 'status':
        return [{ type: 'data-status', data: omitFrame(event), transient: true }];
      case 'text_delta':
        return this.#addText(event.delta);
      case 'text_replace':
        return this.#replaceText(event);
      case 'citation':
        return this.#addPart(toSource(event));
      case 'action':
        return this.#addPart(toToolCall(event, this.#messageId));
      case 'page_citation':
        return this.#addPart({ type: 'data-page-citation', data: omitFrame(event) });
      case 'suggestions':
        return this.#addPart({ type: 'data-suggestions', data: omitFrame(event) });
      case 'notice':
        return this.#addPart({ type: 'data-notice', data: omitFrame(event) });
      case 'message_end':
        return this.#finish(event);
      case 'error':
        return this.#fail(event.message, omitFrame(event));
    }
  }

  /** Adds an error to a stream that lacks its terminal event; otherwise readers would take the answer for complete. */
  breakOff(): UiMessageChunk[] {
    const code: ErrorCode = 'chat/answer_broke_off';
    return this.#hasEnded ? [] : this.#fail(ERROR_CODES[code].message, { code, retryable: true });
  }

  #addText(delta: string): UiMessageChunk[] {
    if (delta === '') return [];
    const chunks: UiMessageChunk[] = [];
    if (this.#textId === undefined) {
      this.#textCount += 1;
      this.#textId = `text_${this.#textCount}`;
      chunks.push({ type: 'text-start', id: this.#textId });
    }
    chunks.push({ type: 'text-delta', id: this.#textId, delta });
    return chunks;
  }

  #endText(): UiMessageChunk[] {
    if (this.#textId === undefined) return [];
    const id = this.#textId;
    this.#textId = undefined;
    return [{ type: 'text-end', id }];
  }

  #addPart(part: PartChunk): UiMessageChunk[] {
    this.#parts.push(part);
    return [part];
  }

  /** Sends the parts that still apply again, because a reset removes every part. */
  #replaceText({ text, reason }: EventOf<'text_replace'>): UiMessageChunk[] {
    if (reason === 'retry') this.#parts = [];
    return [...this.#endText(), { type: 'reset-step' }, ...this.#addText(text), ...this.#parts];
  }

  #finish(event: EventOf<'message_end'>): UiMessageChunk[] {
    this.#hasEnded = true;
    return [
      ...this.#endText(),
      { type: 'finish-step' },
      {
        type: 'finish',
        finishReason: FINISH_REASONS[event.finish_reason],
        messageMetadata: omitFrame(event),
      },
    ];
  }

  #fail(errorText: string, data: object): UiMessageChunk[] {
    this.#hasEnded = true;
    return [...this.#endText(), { type: 'data-error', data, transient: true }, { type: 'error', errorText }];
  }
}

type EventOf<T extends ChatEvent['type']> = Extract<ChatEvent, { type: T }>;

/** Returns the fields of an event except `type` and `seq`. */
function omitFrame<T extends ChatEvent>({ type: _, seq: __, ...fields }: T): object {
  return fields;
}

function toSource(event: EventOf<'citation'>): PartChunk {
  const { citation_id: sourceId, title, url } = event;
  const providerMetadata = { guidepost: omitFrame(event) };
  return url === undefined
    ? { type: 'source-document', sourceId, mediaType: 'text/markdown', title, providerMetadata }
    : { type: 'source-url', sourceId, url, title, providerMetadata };
}

/** Action ids repeat between answers, but `useChat` looks up tool calls by id in the whole conversation. */
function toToolCall(event: EventOf<'action'>, messageId: string): PartChunk {
  return {
    type: 'tool-input-available',
    toolCallId: `${messageId}:${event.action_id}`,
    toolName: event.kind,
    input: omitFrame(event),
  };
}

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** Converts an answer to a UI message stream. Its frames have no ids: a client that reconnects reads from the start. */
export function toUiMessageStream(stream: AsyncIterable<SseEvent>): SseResponse {
  return { status: 200, stream: encodeStream(stream), headers: HEADERS };
}

async function* encodeStream(stream: AsyncIterable<SseEvent>): AsyncGenerator<Pick<SseEvent, 'data'>> {
  const encoder = new UiMessageEncoder();
  for await (const { data } of stream)
    for (const chunk of encoder.encode(JSON.parse(data) as ChatEvent)) yield { data: JSON.stringify(chunk) };
  for (const chunk of encoder.breakOff()) yield { data: JSON.stringify(chunk) };
  yield { data: '[DONE]' };
}
