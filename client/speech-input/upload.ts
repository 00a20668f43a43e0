import { abortable } from '../sdk/http.ts';
import type { Ear, WayToListen } from './recognizer.ts';
import { record } from './recording.ts';

/** Records first, and has the recording transcribed by the service afterwards. */
export const byUpload =
  (transcribe: (recording: Blob, signal: AbortSignal) => Promise<string>): WayToListen =>
  async ({ sound, heard, opened, stopping, signal }: Ear) => {
    const pieces: Blob[] = [];
    const recording = record(sound, (piece) => pieces.push(piece));
    opened();
    await abortable(stopping, signal).finally(recording.stop);
    const text = await transcribe(new Blob(pieces, { type: recording.mime() }), signal);
    heard(text, '');
    return text;
  };
