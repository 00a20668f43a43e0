import { browser, needed, nextEvent, type Recorder, type Sound } from './browser.ts';

/** What every provider takes as it comes; where a browser records neither, its own usual kind has to do. */
const PREFERRED = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus'];

export type Recording = {
  /** As the browser made it, such as `audio/webm;codecs=opus`. */
  readonly mime: () => string;
  /** Resolves once the last piece was handed on. */
  readonly stop: () => Promise<void>;
};

/** Records until it is stopped, and hands on piece by piece, or in one piece at the end where none is asked for. */
export function record(sound: Sound, onPiece: (piece: Blob) => void, pieceMillis?: number): Recording {
  const MediaRecorder = needed(browser.MediaRecorder, 'MediaRecorder');
  const mimeType = PREFERRED.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder: Recorder = new MediaRecorder(sound, mimeType ? { mimeType } : {});
  const stopped = nextEvent(recorder, 'stop');
  recorder.addEventListener('dataavailable', ({ data }: { readonly data: Blob }) => {
    if (data.size > 0) onPiece(data);
  });
  recorder.start(pieceMillis);
  return {
    mime: () => recorder.mimeType,
    async stop() {
      // It stops by itself when the microphone goes.
      if (recorder.state !== 'inactive') recorder.stop();
      await stopped;
    },
  };
}
