import { GuideError } from '../sdk/errors.ts';
import { abortable } from '../sdk/http.ts';
import { browser, type DataChannel, nextEvent, type Peer, requireFeature } from './browser.ts';
import {
  joinText,
  LAST_WORDS_MILLIS,
  OPENING_MILLIS,
  parseMessage,
  type SpeechSession,
  withTimeout,
} from './recognizer.ts';

/** The data channel of a session, and the prefix of its transcription messages. */
const CHANNEL = 'oai-events';
const TRANSCRIPTION = 'conversation.item.input_audio_transcription.';

type Message = {
  readonly type: string;
  readonly item_id?: string;
  readonly delta?: string;
  readonly transcript?: string;
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
    onMessage({ data }: { readonly data: unknown }): void {
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
