import { GuideError } from '../errors.ts';
import { abortable } from '../http.ts';
import {
  browser,
  type DataChannel,
  nextEvent,
  type Peer,
  type Recorder,
  requireFeature,
  type Sound,
} from './browser.ts';
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
const PREFERRED_TYPES = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus'];

type Recording = {
  /** The media type, such as `audio/webm;codecs=opus`. */
  mime: () => string;
  /** Resolves once the last chunk was delivered. */
  stop: () => Promise<void>;
};

/** Records until it is stopped. Delivers a chunk every `chunkMillis`, or one at the end without it. */
function record(sound: Sound, onChunk: (chunk: Blob) => void, chunkMillis?: number): Recording {
  const MediaRecorder = requireFeature(browser.MediaRecorder, 'MediaRecorder');
  const mimeType = PREFERRED_TYPES.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder: Recorder = new MediaRecorder(sound, mimeType ? { mimeType } : {});
  const stopped = nextEvent(recorder, 'stop');
  recorder.addEventListener('dataavailable', ({ data }: { data: Blob }) => {
    if (data.size > 0) onChunk(data);
  });
  recorder.start(chunkMillis);
  return {
    mime: () => recorder.mimeType,
    async stop() {
      // The recorder stops by itself when the microphone is disconnected.
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
  type: string;
  is_final?: boolean;
  channel?: { alternatives?: readonly { transcript?: string }[] };
};

/** Streams the recording to provider_b, which uses the Deepgram API. */
export async function recognizeByWebSocket(session: SpeechSession): Promise<string> {
  const { token, sound, onHeard, onOpen, stopping, signal } = session;
  // A WebSocket cannot send headers, so the token is its second protocol.
  const WebSocket = requireFeature(browser.WebSocket, 'WebSocket');
  const socket = new WebSocket(token.url ?? '', ['bearer', token.token]);
  const final: string[] = [];
  socket.addEventListener('message', ({ data }: { data: unknown }) => {
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
    // The provider closes the socket after the last words. Do not wait longer than the limit for them.
    await abortable(
      withTimeout(LAST_WORDS_MILLIS, closed).catch(() => {}),
      signal,
    );
    return joinText(final);
  } finally {
    socket.close();
  }
}

/** The data channel of a session, and the prefix of its transcription messages. */
const CHANNEL = 'oai-events';
const TRANSCRIPTION = 'conversation.item.input_audio_transcription.';

type Message = {
  type: string;
  item_id?: string;
  delta?: string;
  transcript?: string;
};

/** Sends the sound to provider_a, which uses the OpenAI API. */
export async function recognizeByWebRtc(session: SpeechSession): Promise<string> {
  const { sound, onOpen, stopping, signal } = session;
  const peer = new (requireFeature(browser.RTCPeerConnection, 'RTCPeerConnection'))();
  try {
    for (const track of sound.getAudioTracks()) peer.addTrack(track, sound);
    const channel = peer.createDataChannel(CHANNEL);
    const transcript = collectTranscript(session);
    channel.addEventListener('message', transcript.onMessage);
    const lost = rejectWhenLost(peer, channel);
    lost.catch(() => {});
    const ready = nextEvent(channel, 'open');
    const opening = connect(peer, session).then(() => Promise.race([ready, lost]));
    await abortable(withTimeout(OPENING_MILLIS, opening), signal);
    onOpen();
    await abortable(Promise.race([stopping, lost]), signal);
    // Commit by hand; the session does not detect the end of a turn.
    const last = Promise.race([transcript.nextFinal(), lost]);
    channel.send('{"type":"input_audio_buffer.commit"}');
    await abortable(
      withTimeout(LAST_WORDS_MILLIS, last).catch(() => {}),
      signal,
    );
    return transcript.text();
  } finally {
    peer.close();
  }
}

function rejectWhenLost(peer: Peer, channel: DataChannel): Promise<never> {
  return new Promise((_, reject) => {
    const lose = () => reject(new GuideError('network', 'The voice session was interrupted.'));
    channel.addEventListener('close', lose);
    peer.addEventListener('connectionstatechange', () => {
      if (peer.connectionState === 'failed') lose();
    });
  });
}

async function connect(peer: Peer, { token, signal }: SpeechSession): Promise<void> {
  const offer = await peer.createOffer();
  await peer.setLocalDescription(offer);
  const response = await fetch(token.url ?? '', {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/sdp' },
    body: offer.sdp ?? '',
    credentials: 'omit',
    redirect: 'error',
    signal,
  }).catch((cause) => {
    throw new GuideError('network', 'Could not reach the speech provider.', { cause });
  });
  const { status } = response;
  if (!response.ok) throw new GuideError('protocol', 'The speech provider rejected the session.', { status });
  await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
}

/** Assembles the transcript from the messages of a session. Each item is one stretch of speech. */
function collectTranscript({ onHeard }: SpeechSession) {
  const items = new Map<string, { text: string; isFinal: boolean }>();
  let resolveFinal = () => {};
  const join = (isFinal: boolean) =>
    joinText(Array.from(items.values(), (item) => (item.isFinal === isFinal ? item.text : '')));

  return {
    /** Resolves when the next item is final, or has failed. */
    nextFinal: () =>
      new Promise<void>((resolve) => {
        resolveFinal = resolve;
      }),
    text: () => joinText(Array.from(items.values(), ({ text }) => text)),
    onMessage({ data }: { data: unknown }): void {
      const { type, item_id: id = '', delta = '', transcript = '' } = parseMessage<Message>(data);
      if (type === `${TRANSCRIPTION}delta`)
        items.set(id, { text: (items.get(id)?.text ?? '') + delta, isFinal: false });
      else if (type === `${TRANSCRIPTION}completed`) items.set(id, { text: transcript, isFinal: true });
      else if (type !== `${TRANSCRIPTION}failed` && type !== 'error') return;
      onHeard(join(true), join(false));
      if (type !== `${TRANSCRIPTION}delta`) resolveFinal();
    },
  };
}
