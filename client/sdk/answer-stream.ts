import type { ChatEvent } from '../../generated/types.ts';
import { asGuideError, GuideError } from './errors.ts';
import { parseEventStream, type ServerSentEvent } from './event-stream.ts';
import { abortedBy, backoffMillis, pause } from './http.ts';

export type AnswerStreamDeps = {
  /** Opens the stream of the turn, or goes on after that frame with the same Idempotency-Key. */
  readonly open: (lastEventId: string | undefined, deadlineSeconds: number) => Promise<Response>;
  /** For the stream to be opened with all attempts, and again for each resumption. */
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  readonly idleMillis: number;
  /** How often in a row the stream may break without getting any further. */
  readonly resumptionsMax: number;
};

/**
 * The events of one answer, each once and in order, up to the terminal one. A connection that breaks or falls silent is
 * resumed after the last frame that arrived. Types of event that this client does not know pass through.
 */
export async function* answerStream(deps: AnswerStreamDeps): AsyncGenerator<ChatEvent, void, void> {
  const { open, deadlineSeconds, signal, idleMillis, resumptionsMax } = deps;
  const openBeforeMillis = Date.now() + deadlineSeconds * 1000;
  let isOpened = false;
  let last: Place | undefined;
  let furthestSeq = -1;
  let waitMillis: number | undefined;
  for (let failures = 0; ; ) {
    try {
      const secondsLeft = isOpened ? deadlineSeconds : (openBeforeMillis - Date.now()) / 1000;
      const response = await open(last?.id, secondsLeft);
      isOpened = true;
      for await (const frame of parseEventStream(bodyOf(response), { idleMillis, signal })) {
        if (signal.aborted) throw abortedBy(signal.reason);
        waitMillis = frame.retryMillis ?? waitMillis;
        const { event, place } = readFrame(frame);
        // A resumed stream may repeat frames; another message starts anew.
        if (place.message === last?.message && place.seq <= last.seq) continue;
        last = place;
        // What begins again and again under new names gets no further.
        if (place.seq > furthestSeq) {
          furthestSeq = place.seq;
          failures = 0;
        }
        yield event;
        if (event.type === 'message_end' || event.type === 'error') return;
      }
      throw new GuideError('network', 'The connection broke.');
    } catch (cause) {
      const error = asGuideError(cause);
      const { code, status = 0, retryAfterSeconds = 0 } = error;
      // Before a service that restarts, a proxy answers with 502 and above.
      const isBroken = code === 'network' || code === 'timeout' || (isOpened && status > 501);
      if (!isBroken || ++failures > resumptionsMax) throw error;
      const pauseMillis = Math.min(retryAfterSeconds * 1000 || (waitMillis ?? backoffMillis(failures)), 5000);
      if (!isOpened && Date.now() + pauseMillis > openBeforeMillis) throw error;
      await pause(pauseMillis, signal);
    }
  }
}

/** Where in an answer a frame is; its id is `<message_id>:<seq>`. */
type Place = { readonly id: string; readonly message: string; readonly seq: number };

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream && response.body) return response.body as ReadableStream<Uint8Array>;
  throw new GuideError('protocol', 'The stream is not an answer.', { status: response.status });
}

/** An event that does not say its place could not be told from one that comes twice. */
function readFrame({ data, lastEventId: id }: ServerSentEvent): { event: ChatEvent; place: Place } {
  const [, message, seq] = /(.*):(\d+)$/.exec(id) ?? [];
  try {
    const event = JSON.parse(data);
    if (message !== undefined && typeof event?.type === 'string')
      return { event, place: { id, message, seq: Number(seq) } };
  } catch {}
  throw new GuideError('protocol', 'The stream is not an answer.');
}
