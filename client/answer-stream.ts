import type { ChatEvent } from '../generated/types.ts';
import { asGuideError, GuideError, isGuideError } from './errors.ts';
import { parseEventStream, type ServerSentEvent } from './event-stream.ts';
import { backoffMillis, pause } from './http.ts';

export type AnswerStreamNeeds = {
  /** Opens the stream of the turn, or goes on after that frame with the same Idempotency-Key. */
  readonly open: (lastEventId: string | undefined) => Promise<Response>;
  readonly signal: AbortSignal;
  readonly idleMillis: number;
  /** How often in a row the stream may break without bringing a new event. */
  readonly resumptionsMax: number;
};

/**
 * The events of one answer, each once and in order, up to the terminal one. A connection that breaks or falls silent is
 * resumed after the last frame that arrived. Types of event that this client does not know pass through.
 */
export async function* answerStream(needs: AnswerStreamNeeds): AsyncGenerator<ChatEvent, void, void> {
  const { open, signal, idleMillis, resumptionsMax } = needs;
  let lastEventId: string | undefined;
  let waitMillis: number | undefined;
  for (let failures = 0; ; ) {
    const resumedAfter = lastEventId;
    try {
      const response = await open(resumedAfter);
      for await (const frame of parseEventStream(bodyOf(response), { idleMillis, signal })) {
        waitMillis = frame.retryMillis ?? waitMillis;
        if (alreadySeen(frame.lastEventId, resumedAfter)) continue;
        lastEventId = frame.lastEventId || lastEventId;
        failures = 0;
        const event = eventOf(frame);
        yield event;
        if (event.type === 'message_end' || event.type === 'error') return;
      }
      throw new GuideError('network', 'The stream ended before the answer did.');
    } catch (cause) {
      const error = asGuideError(cause);
      const broken = isGuideError(error, 'network') || isGuideError(error, 'timeout');
      if (!broken || ++failures > resumptionsMax) throw error;
      await pause(Math.min(waitMillis ?? backoffMillis(failures), 5000), signal);
    }
  }
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream && response.body) return response.body as ReadableStream<Uint8Array>;
  throw new GuideError('protocol', 'The answer is not an event stream.', { status: response.status });
}

function eventOf({ data }: ServerSentEvent): ChatEvent {
  try {
    const event = JSON.parse(data);
    if (typeof event?.type === 'string') return event;
  } catch {}
  throw new GuideError('protocol', 'The stream carries something that is no event.');
}

/** Frame ids are `<message_id>:<seq>`: a resumed stream may repeat frames, another message starts anew. */
function alreadySeen(id: string, lastId: string | undefined): boolean {
  if (!lastId || !id) return false;
  const [message, seq] = splitId(id);
  const [lastMessage, lastSeq] = splitId(lastId);
  return message === lastMessage && seq <= lastSeq;
}

function splitId(id: string): [message: string, seq: number] {
  const colon = id.lastIndexOf(':');
  return [id.slice(0, colon), Number(id.slice(colon + 1))];
}
