import { GuideError } from '../sdk/errors.ts';
import { abortable } from '../sdk/http.ts';
import { browser, needed, nextEvent, type Peer } from './browser.ts';
import { before, type Ear, joined, LAST_WORDS_MILLIS, messageIn, OPENING_MILLIS } from './recognizer.ts';

/** Where a session says what it heard, and how the messages begin that do. */
const CHANNEL = 'oai-events';
const HEARD = 'conversation.item.input_audio_transcription.';

type Message = {
  readonly type: string;
  readonly item_id?: string;
  readonly delta?: string;
  readonly transcript?: string;
};

/** Sends the sound itself to provider_a, which speaks the OpenAI API. */
export async function byWebRtc(ear: Ear): Promise<string> {
  const { sound, opened, stopping, signal } = ear;
  const peer = new (needed(browser.RTCPeerConnection, 'RTCPeerConnection'))();
  try {
    for (const track of sound.getAudioTracks()) peer.addTrack(track, sound);
    const channel = peer.createDataChannel(CHANNEL);
    const talk = listenTo(ear);
    channel.addEventListener('message', talk.take);
    const lost = new Promise<never>((_, reject) => {
      const lose = () => reject(new GuideError('network', 'The session of voice broke off.'));
      channel.addEventListener('close', lose);
      peer.addEventListener('connectionstatechange', () => {
        if (peer.connectionState === 'failed') lose();
      });
    });
    lost.catch(() => {});
    const ready = nextEvent(channel, 'open');
    const opening = connect(peer, ear).then(() => Promise.race([ready, lost]));
    await abortable(before(OPENING_MILLIS, opening), signal);
    opened();
    await abortable(Promise.race([stopping, lost]), signal);
    // Nobody else says where a turn ends.
    const last = Promise.race([talk.nextSettled(), lost]);
    channel.send('{"type":"input_audio_buffer.commit"}');
    await abortable(
      before(LAST_WORDS_MILLIS, last).catch(() => {}),
      signal,
    );
    return talk.text();
  } finally {
    peer.close();
  }
}

async function connect(peer: Peer, { token, signal }: Ear): Promise<void> {
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
    throw new GuideError('network', 'The provider of voice could not be reached.', { cause });
  });
  const { status } = response;
  if (!response.ok)
    throw new GuideError('protocol', 'The provider of voice refused the session.', { status });
  await peer.setRemoteDescription({ type: 'answer', sdp: await response.text() });
}

/** Puts together what the messages of a session say; each item is a stretch of speech. */
function listenTo({ heard }: Ear) {
  const items = new Map<string, { text: string; settled: boolean }>();
  let settle = () => {};
  const texts = (settled: boolean) =>
    joined(Array.from(items.values(), (item) => (item.settled === settled ? item.text : '')));

  return {
    /** Resolves when the next stretch is settled, or never will be. */
    nextSettled: () =>
      new Promise<void>((resolve) => {
        settle = resolve;
      }),
    text: () => joined(Array.from(items.values(), ({ text }) => text)),
    take({ data }: { readonly data: unknown }): void {
      const { type, item_id: id = '', delta = '', transcript = '' } = messageIn<Message>(data);
      if (type === `${HEARD}delta`)
        items.set(id, { text: (items.get(id)?.text ?? '') + delta, settled: false });
      else if (type === `${HEARD}completed`) items.set(id, { text: transcript, settled: true });
      else if (type !== `${HEARD}failed` && type !== 'error') return;
      heard(texts(true), texts(false));
      if (type !== `${HEARD}delta`) settle();
    },
  };
}
