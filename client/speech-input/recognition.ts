import { GuideError, type GuideErrorCode } from '../sdk/errors.ts';
import { abortable } from '../sdk/http.ts';
import { browser, needed, type RecognitionMaker } from './browser.ts';
import { type Ear, joined, type WayToListen } from './recognizer.ts';

type Result = {
  readonly isFinal: boolean;
  readonly length: number;
  readonly [at: number]: { readonly transcript: string };
};

/** What the browser says went wrong; silence is nothing of that kind. */
const CODES: Readonly<Record<string, GuideErrorCode>> = {
  'not-allowed': 'microphone',
  'service-not-allowed': 'microphone',
  'audio-capture': 'microphone',
  network: 'network',
  'language-not-supported': 'unsupported',
};

/** The browser recognises speech by itself: on the device where it can, else wherever its maker does that. */
export const byRecognition =
  (deviceOnly: boolean): WayToListen =>
  async ({ locale, heard, opened, stopping, signal }: Ear) => {
    const Recognition = recognitionOfBrowser();
    const recognition = new Recognition();
    recognition.lang = locale ?? browser.navigator?.language ?? '';
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.processLocally = await canStayHere(Recognition, recognition.lang);
    if (deviceOnly && !recognition.processLocally)
      throw new GuideError('unsupported', 'This browser recognises no speech on the device.');
    let settled = '';
    const ended = new Promise<void>((resolve, reject) => {
      recognition.addEventListener('result', ({ results }: { readonly results: ArrayLike<Result> }) => {
        const all = Array.from(results);
        const textOf = (isFinal: boolean) =>
          joined(all.filter((one) => one.isFinal === isFinal).map((one) => one[0]?.transcript ?? ''));
        settled = textOf(true);
        heard(settled, textOf(false));
      });
      recognition.addEventListener('error', ({ error }: { readonly error: string }) => {
        const code = CODES[error];
        if (code) reject(new GuideError(code, `The browser could not listen: ${error}.`));
      });
      recognition.addEventListener('end', () => resolve());
    });
    recognition.addEventListener('start', opened);
    ended.catch(() => {});
    try {
      recognition.start();
      stopping.then(() => recognition.stop());
      await abortable(ended, signal);
      return settled;
    } finally {
      recognition.abort();
    }
  };

function recognitionOfBrowser(): RecognitionMaker {
  return needed(
    browser.SpeechRecognition ?? browser.webkitSpeechRecognition,
    'speech recognition of its own; type instead',
  );
}

async function canStayHere(Recognition: RecognitionMaker, lang: string): Promise<boolean> {
  const available = Recognition.available?.({ langs: [lang], processLocally: true });
  return (await available?.catch(() => '')) === 'available';
}
