import type { Guide } from '../sdk/guide.ts';
import { attachInternals, type GuideInternals } from '../sdk/session.ts';
import { type Listening, type Speech, type Voice as SpeechApi, withVoice } from '../sdk/voice.ts';
import { type Announcer, element, setLabel } from './element.ts';
import type { Localization, Texts, TextsOf } from './language.ts';
import { segment } from './segment.ts';

/** Listens and reads aloud. Loaded at the first press of one of the voice controls. */

export type VoiceDeps = {
  guide: Guide;
  /** Passed along because this file has its own copy of the module that stores them. */
  internals: GuideInternals;
  localization: Localization;
  texts: TextsOf<'voice'>;
  announcer: Announcer;
  form: HTMLElement;
  field: HTMLTextAreaElement;
  microphone: HTMLButtonElement;
  signal: AbortSignal;
};

export type Voice = {
  /** Starts to listen, or stops and keeps the text heard so far. */
  toggle: () => void;
  stopListening: () => void;
  /** Reads a text aloud, or stops when this button has started it. */
  read: (text: string, button: HTMLButtonElement) => Promise<void>;
  /** Stops listening and reading. The text heard so far stays in the field. */
  stop: () => void;
};

export const STYLE = `
.microphone[data-on] { background: var(--accent); color: var(--on-accent); }
.voice-note:not(:empty) { padding: 0.4rem 1rem; border-block-start: 1px solid var(--line); }
@media (prefers-reduced-motion: no-preference) {
  .microphone[data-on] { animation: listen 1.2s ease-in-out infinite; }
  @keyframes listen { 50% { box-shadow: 0 0 0 6px var(--line); } }
}
@media (forced-colors: active) { .microphone[data-on] { outline: 3px solid Highlight; } }
`;

/** Listens for the microphone in the form. The text appears in the field, for the visitor to check and send. */
export function openVoice(deps: VoiceDeps): Voice {
  const { texts, localization, announcer, form, microphone, signal } = deps;
  const api = withVoice(attachInternals(deps.guide, deps.internals));
  const reader = createReader(api, texts, localization.texts, announcer);
  const note = element('p', { class: 'note voice-note' });
  form.before(note);
  const dictation = new Dictation(deps, api, { note, microphone }, reader.stop);
  const stop = () => {
    dictation.abort();
    reader.stop();
  };
  document.addEventListener('visibilitychange', () => document.hidden && dictation.abort(), { signal });
  signal.addEventListener('abort', () => {
    stop();
    note.remove();
  });
  return {
    toggle: () => dictation.toggle(),
    stopListening: () => void dictation.stop(),
    read: reader.read,
    stop,
  };
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
    const { texts, localization } = this.#deps;
    setLabel(microphone, isOn ? texts.stopListening : localization.texts.speak);
    microphone.toggleAttribute('data-on', isOn);
    this.#deps.field.readOnly = isOn;
  }

  #tell(sentence: string): void {
    this.#controls.note.textContent = sentence;
    this.#deps.announcer.say(sentence);
  }
}

function toSentence(error: unknown, { texts, localization }: VoiceDeps): string {
  // Not isGuideError: this file has its own copy of the class.
  const code = (error as { code?: string }).code ?? '';
  if (code === 'microphone') return texts.noMicrophone;
  if (code === 'unsupported') return texts.noVoice;
  return code === 'network' || code === 'timeout' ? localization.texts.unreachable : texts.voiceFailed;
}

type Reader = Pick<Voice, 'read' | 'stop'>;

/** Maximum length of a part. Short parts start to play sooner, and stay within the limit of the service. */
const PART_CHARS_MAX = 400;

/** Reads texts aloud, one at a time. */
function createReader(
  voice: SpeechApi,
  texts: TextsOf<'voice'>,
  panelTexts: Texts,
  announcer: Announcer,
): Reader {
  let current: AbortController | undefined;

  async function play(text: string, signal: AbortSignal): Promise<void> {
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

  async function read(text: string, toggle: HTMLButtonElement): Promise<void> {
    const isOn = toggle.hasAttribute('data-on');
    current?.abort();
    if (isOn) return;
    const controller = new AbortController();
    current = controller;
    toggle.setAttribute('data-on', '');
    setLabel(toggle, texts.stopReading);
    try {
      await play(text, controller.signal);
    } catch {
      if (!controller.signal.aborted) announcer.say(texts.voiceFailed);
    } finally {
      // Cancel the part that was requested ahead.
      controller.abort();
      toggle.removeAttribute('data-on');
      setLabel(toggle, panelTexts.readAloud);
    }
  }

  return { read, stop: () => current?.abort() };
}

/** Splits a text into groups of sentences, and sentences that are too long between words. */
function splitText(text: string): string[] {
  const parts: string[] = [];
  let part = '';
  for (const sentence of segment(text, 'sentence')) {
    for (const piece of sentence.length > PART_CHARS_MAX ? splitSentence(sentence) : [sentence]) {
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
  for (const word of segment(sentence, 'word')) {
    if (chunk.length + word.length > PART_CHARS_MAX) {
      chunks.push(chunk);
      chunk = '';
    }
    chunk += word;
  }
  return [...chunks, chunk];
}
