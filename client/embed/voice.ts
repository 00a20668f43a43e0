import type { Guide } from '../sdk/guide.ts';
import { attachInternals, type GuideInternals } from '../sdk/internals.ts';
import { type Listening, withVoice } from '../sdk/voice.ts';
import type { Announcer } from './announcer.ts';
import { button, element } from './element.ts';
import { readingOf } from './reading-aloud.ts';
import type { Wording } from './texts.ts';

/** A piece of its own: whoever may not speak to the guide does not load it. */

export type VoiceDeps = {
  readonly guide: Guide;
  /** This piece knows nothing of what the guide's own piece keeps. */
  readonly internals: GuideInternals;
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly form: HTMLElement;
  readonly field: HTMLTextAreaElement;
  readonly signal: AbortSignal;
};

export type Voice = {
  /** A button that reads a text aloud, and stops doing so. */
  readonly readAloud: (text: string) => HTMLElement;
  /** Stops listening and reading. What was heard so far stays in the field. */
  readonly quiet: () => void;
};

/** Whoever presses for longer than this talks as long as they press; a shorter press begins, and the next one ends. */
const HELD_MILLIS = 500;

/** Puts a microphone beside the field. What it hears is written there as it comes, for the visitor to check and send. */
export function openVoice(deps: VoiceDeps): Voice {
  const { wording, announcer, form, field, signal } = deps;
  const { texts } = wording;
  const voice = withVoice(attachInternals(deps.guide, deps.internals));
  const reading = readingOf(voice, texts, announcer);
  const note = element('p', { class: 'note voice-note' });
  const microphone = button(
    '',
    { class: 'send microphone', label: texts.speak, icon: 'microphone' },
    () => {},
  );
  let listening: Promise<Listening | undefined> | undefined;
  let stopping = new AbortController();
  let pressedAt = 0;

  function show(isOn: boolean): void {
    const label = isOn ? texts.stopListening : texts.speak;
    microphone.setAttribute('aria-label', label);
    microphone.title = label;
    microphone.toggleAttribute('data-on', isOn);
    field.readOnly = isOn;
  }

  function tell(sentence: string): void {
    note.textContent = sentence;
    announcer.say(sentence);
  }

  async function begin(): Promise<void> {
    reading.stop();
    stopping = new AbortController();
    const { signal: stopped } = stopping;
    const before = field.value.trim();
    const write = (heard: string) => {
      // What is written by now belongs to the next question.
      if (stopped.aborted) return;
      field.value = [before, heard]
        .filter((part) => part !== '')
        .join(' ')
        .slice(0, field.maxLength);
      field.scrollTop = field.scrollHeight;
    };
    show(true);
    // Said before the microphone is open, so that it does not hear this.
    tell(texts.listening);
    listening = voice.listen({ locale: wording.locale, onPartial: write, signal: stopped });
    try {
      const ear = await listening;
      if (ear?.transport === 'mock') note.textContent = `${texts.listening} ${texts.byBrowser}`;
      const heard = await ear?.done;
      if (stopped.aborted) return;
      write(heard ?? '');
      if (heard) announcer.say(heard);
      tell(heard ? texts.heard : texts.nothingHeard);
      field.focus();
    } catch (error) {
      if (!stopped.aborted) tell(sentenceFor(codeOf(error)));
    } finally {
      if (stopping.signal === stopped) {
        listening = undefined;
        show(false);
        if (stopped.aborted) note.textContent = '';
      }
    }
  }

  function sentenceFor(code: string): string {
    if (code === 'microphone') return texts.noMicrophone;
    if (code === 'unsupported') return texts.noVoice;
    return code === 'network' || code === 'timeout' ? texts.unreachable : texts.voiceFailed;
  }

  /** Ends with everything that was said until now. */
  async function end(): Promise<void> {
    const ear = await listening?.catch(() => undefined);
    await ear?.stop().catch(() => {});
  }

  const toggle = () => void (listening ? end() : begin());
  microphone.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    pressedAt = listening ? 0 : event.timeStamp;
    toggle();
    // Nobody who lets go of it elsewhere shall be listened to any longer.
    microphone.setPointerCapture(event.pointerId);
  });
  for (const type of ['pointerup', 'pointercancel', 'lostpointercapture'] as const)
    microphone.addEventListener(type, (event) => {
      const isClick = type === 'pointerup' && event.timeStamp - pressedAt <= HELD_MILLIS;
      if (pressedAt && !isClick) void end();
      pressedAt = 0;
    });
  // A click that no pointer made is of a keyboard or of assistive technology.
  microphone.addEventListener('click', (event) => event.detail === 0 && toggle());
  form.addEventListener('keydown', (event) => {
    if (event.key !== 'Escape' || !listening) return;
    event.stopPropagation();
    void end();
  });

  function quiet(): void {
    stopping.abort();
    reading.stop();
  }
  document.addEventListener('visibilitychange', () => document.hidden && stopping.abort(), { signal });
  signal.addEventListener('abort', () => {
    quiet();
    note.remove();
    microphone.remove();
  });

  if (canListen()) {
    form.before(note);
    field.after(microphone);
  }
  return { readAloud: reading.button, quiet };
}

/** Without a secure page there is no microphone. */
function canListen(): boolean {
  const { SpeechRecognition, webkitSpeechRecognition } = globalThis as Record<string, unknown>;
  return Boolean(navigator.mediaDevices ?? SpeechRecognition ?? webkitSpeechRecognition);
}

/** Errors of another piece are of another class. */
const codeOf = (error: unknown) => (error as { readonly code?: string }).code ?? '';
