import type { Guide } from '../sdk/guide.ts';
import { attachInternals, type GuideInternals } from '../sdk/session.ts';
import { type Listening, type Speech, type Voice as SpeechApi, withVoice } from '../sdk/voice.ts';
import { type Announcer, button, element, setLabel } from './element.ts';
import { MICROPHONE, SPEAKER } from './icons.ts';
import type { Localization, TextsOf } from './language.ts';

/** The voice controls of the panel. Loaded only where the workspace has voice. */

export type VoiceDeps = {
  guide: Guide;
  /** Passed along because this file has its own copy of the module that stores them. */
  internals: GuideInternals;
  localization: Localization;
  texts: TextsOf<'voice'>;
  announcer: Announcer;
  form: HTMLElement;
  field: HTMLTextAreaElement;
  signal: AbortSignal;
};

export type Voice = {
  /** Creates a button that starts and stops reading a text aloud. */
  readAloud: (text: string) => HTMLElement;
  /** Stops listening and reading. The text heard so far stays in the field. */
  stop: () => void;
};

export const STYLE = `
.microphone.microphone { border: 1px solid var(--line); background: var(--paper); color: var(--accent); touch-action: none; }
.microphone[data-on] { background: var(--accent); color: var(--on-accent); }
.voice-note:not(:empty) { padding: 0.4rem 1rem; border-block-start: 1px solid var(--line); }
@media (prefers-reduced-motion: no-preference) {
  .microphone[data-on] { animation: listen 1.2s ease-in-out infinite; }
  @keyframes listen { 50% { box-shadow: 0 0 0 6px var(--line); } }
}
@media (forced-colors: active) { .microphone[data-on] { outline: 3px solid Highlight; } }
`;

/** A longer press listens until it is released; a shorter one until the next press. */
const HOLD_MILLIS_MIN = 500;

/** Adds a microphone to the form. The text appears in the field, for the visitor to check and send. */
export function openVoice(deps: VoiceDeps): Voice {
  const { texts, announcer, form, field, signal } = deps;
  const api = withVoice(attachInternals(deps.guide, deps.internals));
  const reader = createReader(api, texts, announcer);
  const note = element('p', { class: 'note voice-note' });
  const microphone = button('', { class: 'send microphone', label: texts.speak, icon: MICROPHONE }, () => {});
  const dictation = new Dictation(deps, api, { note, microphone }, reader.stop);
  handlePresses(microphone, form, dictation);

  function stop(): void {
    dictation.abort();
    reader.stop();
  }
  document.addEventListener('visibilitychange', () => document.hidden && dictation.abort(), { signal });
  signal.addEventListener('abort', () => {
    stop();
    note.remove();
    microphone.remove();
  });

  if (canListen()) {
    form.before(note);
    field.after(microphone);
  }
  return { readAloud: reader.button, stop };
}

type Controls = { note: HTMLElement; microphone: HTMLButtonElement };

/** Listens and writes what it hears into the field. */
class Dictation {
  readonly #deps: VoiceDeps;
  readonly #api: SpeechApi;
  readonly #controls: Controls;
  readonly #onStart: () => void;
  #listening: Promise<Listening> | undefined;
  #stopping = new AbortController();

  constructor(deps: VoiceDeps, api: SpeechApi, controls: Controls, onStart: () => void) {
    this.#deps = deps;
    this.#api = api;
    this.#controls = controls;
    this.#onStart = onStart;
  }

  get isListening(): boolean {
    return this.#listening !== undefined;
  }

  toggle(): void {
    void (this.#listening ? this.stop() : this.#start());
  }

  /** Stops listening and keeps the text heard so far. */
  async stop(): Promise<void> {
    const listening = await this.#listening?.catch(() => undefined);
    await listening?.stop().catch(() => {});
  }

  abort(): void {
    this.#stopping.abort();
  }

  async #start(): Promise<void> {
    const { localization, texts, announcer, field } = this.#deps;
    const { note } = this.#controls;
    const { locale } = localization;
    this.#onStart();
    this.#stopping = new AbortController();
    const { signal } = this.#stopping;
    const onPartial = this.#createWriter(signal);
    this.#show(true);
    // Announce before the microphone is open, so that it does not hear the screen reader.
    this.#tell(texts.listening);
    this.#listening = this.#api.listen({ locale, onPartial, signal });
    try {
      const { transport, done } = await this.#listening;
      if (transport === 'mock') note.textContent = `${texts.listening} ${texts.byBrowser}`;
      const heard = await done;
      if (signal.aborted) return;
      onPartial(heard);
      if (heard) announcer.say(heard);
      this.#tell(heard ? texts.heard : texts.nothingHeard);
      field.focus();
    } catch (error) {
      if (!signal.aborted) this.#tell(toSentence(error, this.#deps));
    } finally {
      if (this.#stopping.signal === signal) {
        this.#listening = undefined;
        this.#show(false);
        if (signal.aborted) note.textContent = '';
      }
    }
  }

  /** Writes the text after what the field contains already. */
  #createWriter(signal: AbortSignal): (heard: string) => void {
    const { field } = this.#deps;
    const before = field.value.trim();
    return (heard) => {
      // After the end, the field belongs to the next question.
      if (signal.aborted) return;
      field.value = [before, heard]
        .filter((part) => part !== '')
        .join(' ')
        .slice(0, field.maxLength);
      field.scrollTop = field.scrollHeight;
    };
  }

  #show(isOn: boolean): void {
    const { microphone } = this.#controls;
    const { texts } = this.#deps;
    const label = isOn ? texts.stopListening : texts.speak;
    microphone.setAttribute('aria-label', label);
    microphone.title = label;
    microphone.toggleAttribute('data-on', isOn);
    this.#deps.field.readOnly = isOn;
  }

  #tell(sentence: string): void {
    this.#controls.note.textContent = sentence;
    this.#deps.announcer.say(sentence);
  }
}

function handlePresses(microphone: HTMLElement, form: HTMLElement, dictation: Dictation): void {
  let pressedAt = 0;
  microphone.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressedAt = dictation.isListening ? 0 : event.timeStamp;
    dictation.toggle();
    // Also stop when the pointer is released outside of the button.
    microphone.setPointerCapture(event.pointerId);
  });
  for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
    microphone.addEventListener(type, (event) => {
      const isClick = type === 'pointerup' && event.timeStamp - pressedAt <= HOLD_MILLIS_MIN;
      if (pressedAt && !isClick) void dictation.stop();
      pressedAt = 0;
    });
  // Only keyboards and assistive technology click without a pointer.
  microphone.addEventListener('click', (event) => event.detail === 0 && dictation.toggle());
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !dictation.isListening) return;
    event.stopPropagation();
    void dictation.stop();
  });
}

/** False on insecure pages without speech recognition: `navigator.mediaDevices` exists on secure pages only. */
function canListen(): boolean {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as Record<string, unknown>;
  return Boolean(navigator.mediaDevices ?? SpeechRecognition ?? webkitSpeechRecognition);
}

function toSentence(error: unknown, { texts, localization }: VoiceDeps): string {
  // Not isGuideError: this file has its own copy of the class.
  const code = (error as { code?: string }).code ?? '';
  if (code === 'microphone') return texts.noMicrophone;
  if (code === 'unsupported') return texts.noVoice;
  return code === 'network' || code === 'timeout' ? localization.texts.unreachable : texts.voiceFailed;
}

type Reader = {
  button: (text: string) => HTMLElement;
  stop: () => void;
};

/** Maximum length of a part. Short parts start to play sooner, and stay within the limit of the service. */
const PART_CHARS_MAX = 400;

/** Reads texts aloud, one at a time. */
function createReader(voice: SpeechApi, texts: TextsOf<'voice'>, announcer: Announcer): Reader {
  let current: AbortController | undefined;

  async function read(text: string, signal: AbortSignal): Promise<void> {
    const parts = splitText(text);
    const speak = (at: number) => {
      const part = parts[at];
      const speech = part === undefined ? undefined : voice.speak(part, { signal });
      speech?.catch(() => {});
      return speech;
    };
    let next: Promise<Speech> | undefined = speak(0);
    for (let at = 0; next; at += 1) {
      const speech: Speech = await next;
      if (!speech.play) throw new TypeError('This browser cannot play audio.');
      // Request the next part while this one plays, to avoid a gap.
      next = speak(at + 1);
      await speech.play();
    }
  }

  function makeButton(text: string): HTMLElement {
    const toggle = button('', { class: 'tool', label: texts.readAloud, icon: SPEAKER }, async () => {
      const isOn = toggle.hasAttribute('data-on');
      current?.abort();
      if (isOn) return;
      const controller = new AbortController();
      current = controller;
      toggle.setAttribute('data-on', '');
      setLabel(toggle, texts.stopReading);
      try {
        await read(text, controller.signal);
      } catch {
        if (!controller.signal.aborted) announcer.say(texts.voiceFailed);
      } finally {
        // Cancel the part that was requested ahead.
        controller.abort();
        toggle.removeAttribute('data-on');
        setLabel(toggle, texts.readAloud);
      }
    });
    toggle.setAttribute('part', 'read-aloud');
    return toggle;
  }

  return { button: makeButton, stop: () => current?.abort() };
}

/** Splits a text into groups of sentences, and sentences that are too long between words. */
function splitText(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text)) {
    for (const piece of segment.length > PART_CHARS_MAX ? splitSentence(segment) : [segment]) {
      if (part !== '' && part.length + piece.length > PART_CHARS_MAX) {
        parts.push(part.trim());
        part = '';
      }
      part += piece;
    }
  }
  return [...parts, part.trim()].filter((text) => text !== '');
}

function splitSentence(sentence: string): string[] {
  const chunks: string[] = [];
  let chunk = '';
  for (const { segment } of new Intl.Segmenter(undefined, { granularity: 'word' }).segment(sentence)) {
    if (chunk.length + segment.length > PART_CHARS_MAX) {
      chunks.push(chunk);
      chunk = '';
    }
    chunk += segment;
  }
  return [...chunks, chunk];
}
