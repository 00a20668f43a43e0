import { GuideError } from '../sdk/errors.ts';
import { abortable } from '../sdk/http.ts';
import { browser, nextEvent, type Recorder, requireFeature, type Sound } from './browser.ts';
import {
  joinText,
  LAST_WORDS_MILLIS,
  OPENING_MILLIS,
  parseMessage,
  type Recognizer,
  type SpeechSession,
  withTimeout,
} from './recognizer.ts';

/** Formats that every provider accepts; a browser that records neither uses its default. */
const PREFERRED = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus'];

type Recording = {
  /** The media type, such as `audio/webm;codecs=opus`. */
  readonly mime: () => string;
  /** Resolves once the last chunk was delivered. */
  readonly stop: () => Promise<void>;
};

/** Records until it is stopped. Delivers a chunk every `chunkMillis`, or one at the end without it. */
function record(sound: Sound, onChunk: (chunk: Blob) => void, chunkMillis?: number): Recording {
  const MediaRecorder = requireFeature(browser.MediaRecorder, 'MediaRecorder');
  const mimeType = PREFERRED.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder: Recorder = new MediaRecorder(sound, mimeType ? { mimeType } : {});
  const stopped = nextEvent(recorder, 'stop');
  recorder.addEventListener('dataavailable', ({ data }: { readonly data: Blob }) => {
    if (data.size > 0) onChunk(data);
  });
  recorder.start(chunkMillis);
  return {
    mime: () => recorder.mimeType,
    async stop() {
      // It stops by itself when the microphone is disconnected.
      if (recorder.state !== 'inactive') recorder.stop();
      await stopped;
    },
  };
}

/** Records first, then has the service transcribe the recording. */
export const createUploadRecognizer =
  (transcribe: (recording: Blob, signal: AbortSignal) => Promise<string>): Recognizer =>
  async ({ sound, onHeard, onOpen, stopping, signal }) => {
    const chunks: Blob[] = [];
    const recording = record(sound, (chunk) => chunks.push(chunk));
    onOpen();
    await abortable(stopping, signal).finally(recording.stop);
    const text = await transcribe(new Blob(chunks, { type: recording.mime() }), signal);
    onHeard(text, '');
    return text;
  };

const CHUNK_MILLIS = 250;

type DeepgramMessage = {
  readonly type: string;
  readonly is_final?: boolean;
  readonly channel?: { readonly alternatives?: readonly { readonly transcript?: string }[] };
};

/** Streams the recording to provider_b, which uses the Deepgram API. */
export async function recognizeByWebSocket(session: SpeechSession): Promise<string> {
  const { token, sound, onHeard, onOpen, stopping, signal } = session;
  // A WebSocket cannot send headers, so the token is its second protocol.
  const WebSocket = requireFeature(browser.WebSocket, 'WebSocket');
  const socket = new WebSocket(token.url ?? '', ['bearer', token.token]);
  const final: string[] = [];
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
    const { type, is_final, channel } = parseMessage<DeepgramMessage>(data);
    if (type !== 'Results') return;
    const text = channel?.alternatives?.[0]?.transcript ?? '';
    if (is_final) final.push(text);
    onHeard(joinText(final), is_final ? '' : text);
  });
  const closed = nextEvent(socket, 'close', 'error');
  const lost = closed.then(() => {
    throw new GuideError('network', 'The voice session was interrupted.');
  });
  lost.catch(() => {});
  try {
    await abortable(withTimeout(OPENING_MILLIS, Promise.race([nextEvent(socket, 'open'), lost])), signal);
    const send = (chunk: Blob | string) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(chunk);
    };
    const recording = record(sound, send, CHUNK_MILLIS);
    onOpen();
    await abortable(Promise.race([stopping, lost]), signal).finally(recording.stop);
    send('{"type":"CloseStream"}');
    // It closes after its last words; give up on words that do not arrive in time.
    await abortable(
      withTimeout(LAST_WORDS_MILLIS, closed).catch(() => {}),
      signal,
    );
    return joinText(final);
  } finally {
    socket.close();
  }
}
