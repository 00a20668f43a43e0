import { GuideError } from '../sdk/errors.ts';
import { abortable } from '../sdk/http.ts';
import { browser, needed, nextEvent } from './browser.ts';
import { before, type Ear, joined, LAST_WORDS_MILLIS, messageIn, OPENING_MILLIS } from './recognizer.ts';
import { record } from './recording.ts';

const PIECE_MILLIS = 250;

type Message = {
  readonly type: string;
  readonly is_final?: boolean;
  readonly channel?: { readonly alternatives?: readonly { readonly transcript?: string }[] };
};

/** Streams the recording to provider_b, which speaks the Deepgram API. */
export async function byWebSocket(ear: Ear): Promise<string> {
  const { token, sound, heard, opened, stopping, signal } = ear;
  // A page can send no header with it; the token goes as a second protocol.
  const WebSocket = needed(browser.WebSocket, 'WebSocket');
  const socket = new WebSocket(token.url ?? '', ['bearer', token.token]);
  const settled: string[] = [];
  socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
    const { type, is_final, channel } = messageIn<Message>(data);
    if (type !== 'Results') return;
    const text = channel?.alternatives?.[0]?.transcript ?? '';
    if (is_final) settled.push(text);
    heard(joined(settled), is_final ? '' : text);
  });
  const closed = nextEvent(socket, 'close', 'error');
  const lost = closed.then(() => {
    throw new GuideError('network', 'The session of voice broke off.');
  });
  lost.catch(() => {});
  try {
    await abortable(before(OPENING_MILLIS, Promise.race([nextEvent(socket, 'open'), lost])), signal);
    const send = (piece: Blob | string) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(piece);
    };
    const recording = record(sound, send, PIECE_MILLIS);
    opened();
    await abortable(Promise.race([stopping, lost]), signal).finally(recording.stop);
    send('{"type":"CloseStream"}');
    // It closes once its last words are said; words that do not come in time are given up.
    await abortable(
      before(LAST_WORDS_MILLIS, closed).catch(() => {}),
      signal,
    );
    return joined(settled);
  } finally {
    socket.close();
  }
}
