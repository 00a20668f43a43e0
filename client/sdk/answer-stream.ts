import type { ChatEvent } from '../../generated/types.ts';
import { asGuideError, GuideError } from './errors.ts';
import { parseEventStream, type ServerSentEvent } from './event-stream.ts';
import { abortError, backoffMillis, pause } from './http.ts';

export type AnswerStreamDeps = {
  /** Opens the stream of the turn, or resumes it after that frame with the same Idempotency-Key. */
  readonly open: (lastEventId: string | undefined, deadlineSeconds: number) => Promise<Response>;
  /** For opening the stream with all attempts, and again for each resumption. */
  readonly deadlineSeconds: number;
  readonly signal: AbortSignal;
  readonly idleMillis: number;
  /** How often in a row the stream may break without any progress. */
  readonly resumptionsMax: number;
};

/**
 * The events of one answer, each once and in order, up to the last one. A connection that breaks or goes silent is resumed
 * after the last frame received. Unknown event types pass through.
 */
export async function* answerStream(deps: AnswerStreamDeps): AsyncGenerator<ChatEvent, void, void> {
  const { open, deadlineSeconds, signal, idleMillis, resumptionsMax } = deps;
  const openBeforeMillis = Date.now() + deadlineSeconds * 1000;
  let isOpened = false;
  let last: Position | undefined;
  let furthestSeq = -1;
  let waitMillis: number | undefined;
  for (let failures = 0; ; ) {
    try {
      const secondsLeft = isOpened ? deadlineSeconds : (openBeforeMillis - Date.now()) / 1000;
      const response = await open(last?.id, secondsLeft);
      isOpened = true;
      for await (const frame of parseEventStream(getBody(response), { idleMillis, signal })) {
        if (signal.aborted) throw abortError(signal.reason);
        waitMillis = frame.retryMillis ?? waitMillis;
        const { event, position } = readFrame(frame);
        // A resumed stream may repeat frames; a different message id means that the answer restarted.
        if (position.message === last?.message && position.seq <= last.seq) continue;
        last = position;
        // An answer that keeps restarting makes no progress.
        if (position.seq > furthestSeq) {
          furthestSeq = position.seq;
          failures = 0;
        }
        yield event;
        if (event.type === 'message_end' || event.type === 'error') return;
      }
      throw new GuideError('network', 'The connection broke.');
    } catch (cause) {
      const error = asGuideError(cause);
      const { code, status = 0, retryAfterSeconds = 0 } = error;
      // A proxy responds with 502 and above while the service restarts.
      const isBroken = code === 'network' || code === 'timeout' || (isOpened && status > 501);
      if (!isBroken || ++failures > resumptionsMax) throw error;
      const pauseMillis = Math.min(retryAfterSeconds * 1000 || (waitMillis ?? backoffMillis(failures)), 5000);
      if (!isOpened && Date.now() + pauseMillis > openBeforeMillis) throw error;
      await pause(pauseMillis, signal);
    }
  }
}

/** The position of a frame in its answer; its id is `<message_id>:<seq>`. */
type Position = { readonly id: string; readonly message: string; readonly seq: number };

function getBody(response: Response): ReadableStream<Uint8Array> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (isStream && response.body) return response.body as ReadableStream<Uint8Array>;
  throw new GuideError('protocol', 'The response is not an answer stream.', { status: response.status });
}

/** Rejects frames without a position: they could not be told apart from repeated ones. */
function readFrame({ data, lastEventId: id }: ServerSentEvent): { event: ChatEvent; position: Position } {
  const [, message, seq] = /(.*):(\d+)$/.exec(id) ?? [];
  try {
    const event = JSON.parse(data);
    if (message !== undefined && typeof event?.type === 'string')
      return { event, position: { id, message, seq: Number(seq) } };
  } catch {}
  throw new GuideError('protocol', 'The response is not an answer stream.');
}
