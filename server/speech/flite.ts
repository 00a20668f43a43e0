import { createOneFileSystem, ProgramEnded } from './one-file-system.ts';

/** Flite, a speech synthesizer for English, as a program of WebAssembly. It computes until it is done: for a thread of its own. */
export const FLITE_VOICES = ['slt', 'kal', 'kal16', 'awb', 'rms'] as const;
export type FliteVoice = (typeof FLITE_VOICES)[number];

/** More than ten minutes. */
const WAV_BYTES_MAX = 24 * 1024 * 1024;

/** Answers with a WAV. The same text and voice always sound the same. */
export async function spokenByFlite(
  program: WebAssembly.Module,
  text: string,
  voice: FliteVoice,
): Promise<Uint8Array> {
  // A voice can be the name of a file as well, which is why it comes from a list.
  const args = ['flite', '-voice', voice, '-t', readable(text), '-o', '/out/speech.wav'];
  const system = createOneFileSystem(args, WAV_BYTES_MAX);
  const instance: WebAssembly.Instance = await WebAssembly.instantiate(
    program,
    system.imports(() => instance.exports.memory as WebAssembly.Memory),
  );
  try {
    (instance.exports._start as () => void)();
  } catch (error) {
    if (!(error instanceof ProgramEnded) || error.status !== 0) throw error;
  }
  return system.written();
}

/** Letters without marks, and nothing that controls: it knows ASCII. */
function readable(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim();
}

/** Whether there is something to say, and all of it in letters that can be said. */
export function canFliteSay(text: string): boolean {
  const isLatin = (text.match(/\p{L}/gu) ?? []).every((letter) => /\p{Script=Latin}/u.test(letter));
  return isLatin && /[A-Za-z0-9]/.test(readable(text));
}
