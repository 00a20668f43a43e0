import { GuideError, type GuideErrorCode } from '../sdk/errors.ts';
import { abortable } from '../sdk/http.ts';
import { browser, type RecognitionMaker, requireFeature } from './browser.ts';
import { joinText, type Recognizer } from './recognizer.ts';

type Result = {
  readonly isFinal: boolean;
  readonly length: number;
  readonly [at: number]: { readonly transcript: string };
};

/** Errors of the browser. Others, such as silence, are not errors here. */
const CODES: Readonly<Record<string, GuideErrorCode>> = {
  'not-allowed': 'microphone',
  'service-not-allowed': 'microphone',
  'audio-capture': 'microphone',
  network: 'network',
  'language-not-supported': 'unsupported',
};

/** The browser's own speech recognition: on the device if it can, else at its vendor. */
export const createBrowserRecognizer =
  (deviceOnly: boolean): Recognizer =>
  async ({ locale, onHeard, onOpen, stopping, signal }) => {
    const Recognition = requireFeature(
      browser.SpeechRecognition ?? browser.webkitSpeechRecognition,
      'speech recognition; type instead',
    );
    const recognition = new Recognition();
    recognition.lang = locale ?? browser.navigator?.language ?? '';
    recognition.continuous = true;
    recognition.interimResults = true;
    recognition.processLocally = await isAvailableOnDevice(Recognition, recognition.lang);
    if (deviceOnly && !recognition.processLocally)
      throw new GuideError('unsupported', 'This browser cannot recognize speech on the device.');
    let final = '';
    const ended = new Promise<void>((resolve, reject) => {
      recognition.addEventListener('result', ({ results }: { readonly results: ArrayLike<Result> }) => {
        const all = Array.from(results);
        const collect = (isFinal: boolean) =>
          joinText(all.filter((one) => one.isFinal === isFinal).map((one) => one[0]?.transcript ?? ''));
        final = collect(true);
        onHeard(final, collect(false));
      });
      recognition.addEventListener('error', ({ error }: { readonly error: string }) => {
        const code = CODES[error];
        if (code) reject(new GuideError(code, `The browser could not listen: ${error}.`));
      });
      recognition.addEventListener('end', () => resolve());
    });
    recognition.addEventListener('start', onOpen);
    ended.catch(() => {});
    try {
      recognition.start();
      stopping.then(() => recognition.stop());
      await abortable(ended, signal);
      return final;
    } finally {
      recognition.abort();
    }
  };

async function isAvailableOnDevice(Recognition: RecognitionMaker, lang: string): Promise<boolean> {
  const available = Recognition.available?.({ langs: [lang], processLocally: true });
  return (await available?.catch(() => '')) === 'available';
}
