import type { Guide } from '../sdk/guide.ts';
import { getInternals } from '../sdk/session.ts';
import { type Announcer, button } from './element.ts';
import { MICROPHONE, SPEAKER } from './icons.ts';
import type { TextsOf } from './language.ts';
import { type FeatureDeps, loadFeature } from './load-feature.ts';
import type * as voiceChunk from './voice.ts';

export type VoiceControlDeps = FeatureDeps & {
  guide: Guide;
  announcer: Announcer;
  form: HTMLElement;
  field: HTMLTextAreaElement;
  /** Aborts when the guide is closed. */
  signal: AbortSignal;
};

export type VoiceControls = {
  /** Creates a button that starts and stops reading a text aloud. */
  readAloud: (text: string) => HTMLElement;
  /** Stops listening and reading. */
  stop: () => void;
};

/** A longer press listens until it is released; a shorter one until the next press. */
const HOLD_MILLIS_MIN = 500;

/** Adds a microphone to the form, when the workspace has voice. What listens and reads is loaded at the first press. */
export function openVoiceControls(deps: VoiceControlDeps): VoiceControls | undefined {
  const { guide, localization, announcer, form, field, signal } = deps;
  const { texts } = localization;
  if (!guide.state?.features.voice) return undefined;
  let voice: Promise<voiceChunk.Voice> | undefined;

  async function open(): Promise<voiceChunk.Voice> {
    const chunk = await loadFeature<typeof voiceChunk, TextsOf<'voice'>>(deps, 'voice');
    signal.throwIfAborted();
    return chunk.openVoice({ ...deps, texts: chunk.texts, microphone, internals: getInternals(guide) });
  }

  function use(work: (opened: voiceChunk.Voice) => void): void {
    voice ??= open();
    voice.then(work, () => {
      voice = undefined;
      if (!signal.aborted) announcer.say(texts.failed);
    });
  }

  const microphone = button('', { class: 'send microphone', label: texts.speak, icon: MICROPHONE }, () => {});
  handlePresses(microphone, form, use);
  signal.addEventListener('abort', () => microphone.remove());
  if (canListen()) field.after(microphone);
  return {
    readAloud: (text) => {
      const read = button('', { class: 'tool', label: texts.readAloud, icon: SPEAKER }, () =>
        use((opened) => void opened.read(text, read)),
      );
      read.setAttribute('part', 'read-aloud');
      return read;
    },
    stop: () =>
      void voice?.then(
        (opened) => opened.stop(),
        () => {},
      ),
  };
}

function handlePresses(
  microphone: HTMLElement,
  form: HTMLElement,
  use: (work: (opened: voiceChunk.Voice) => void) => void,
): void {
  const isListening = () => microphone.hasAttribute('data-on');
  const toggle = () => use((opened) => opened.toggle());
  const stop = () => use((opened) => opened.stopListening());
  let pressedAt = 0;
  microphone.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressedAt = isListening() ? 0 : event.timeStamp;
    toggle();
    // Also stop when the pointer is released outside of the button.
    microphone.setPointerCapture(event.pointerId);
  });
  for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
    microphone.addEventListener(type, (event) => {
      const isClick = type === 'pointerup' && event.timeStamp - pressedAt <= HOLD_MILLIS_MIN;
      if (pressedAt && !isClick) stop();
      pressedAt = 0;
    });
  // Only keyboards and assistive technology click without a pointer.
  microphone.addEventListener('click', (event) => event.detail === 0 && toggle());
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !isListening()) return;
    event.stopPropagation();
    stop();
  });
}

/** False on insecure pages without speech recognition: `navigator.mediaDevices` exists on secure pages only. */
function canListen(): boolean {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as Record<string, unknown>;
  return Boolean(navigator.mediaDevices ?? SpeechRecognition ?? webkitSpeechRecognition);
}
