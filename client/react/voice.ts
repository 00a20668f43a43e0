import { type Listening, withVoice } from '@guidepost/client';
import { toPlainText } from '../text-blocks.ts';
import { type OpenVoice, toFailure, type VoiceControl, type VoiceDeps } from './state.ts';

/** Adds dictation and reading aloud: `<Guide.Root voice={voice} …>`. */
export const voice: OpenVoice = (deps) => {
  const reader = createReader(deps);
  const dictation = createDictation(deps, reader.silence);
  const close = () => {
    dictation.abort();
    reader.silence();
  };
  return { ...dictation, ...reader, close };
};

type Dictation = Pick<VoiceControl, 'listen' | 'stopListening'> & { abort: () => void };

function createDictation({ open, get, change, write }: VoiceDeps, silence: () => void): Dictation {
  let listening: Listening | undefined;
  let hearing: AbortController | undefined;

  async function listen(): Promise<void> {
    if (hearing) return;
    silence();
    const controller = new AbortController();
    const { signal } = controller;
    hearing = controller;
    const before = get().draft.trim();
    const onPartial = (heard: string) => {
      if (!signal.aborted) write([before, heard].filter((part) => part !== '').join(' '));
    };
    change({ listening: 'opening', failure: undefined });
    try {
      listening = await withVoice(open()).listen({ onPartial, signal });
      change({ listening: 'on' });
      onPartial(await listening.done);
    } catch (error) {
      if (!signal.aborted) change({ failure: toFailure(error) });
    } finally {
      if (hearing === controller) {
        hearing = listening = undefined;
        change({ listening: 'off' });
      }
    }
  }

  const abort = () => hearing?.abort();
  async function stopListening(): Promise<void> {
    if (listening) await listening.stop().catch(() => {});
    else abort();
  }

  return { listen, stopListening, abort };
}

function createReader({ open, change }: VoiceDeps): Pick<VoiceControl, 'speak' | 'silence'> {
  let speaking: AbortController | undefined;

  function silence(): void {
    if (speaking) change({ speaking: undefined });
    speaking?.abort();
    speaking = undefined;
  }

  async function speak(text: string, key = text): Promise<void> {
    silence();
    const controller = new AbortController();
    speaking = controller;
    change({ speaking: key, failure: undefined });
    try {
      for (const part of splitText(toPlainText(text))) {
        const speech = await withVoice(open()).speak(part, { signal: controller.signal });
        await speech.play?.();
      }
    } catch (error) {
      if (!controller.signal.aborted) change({ failure: toFailure(error) });
    } finally {
      if (speaking === controller) silence();
    }
  }

  return { speak, silence };
}

/** Maximum length of a part. Short parts start to play sooner, and stay within the limit of the service. */
const PART_CHARS_MAX = 600;

function splitText(text: string): string[] {
  const parts = [''];
  for (const sentence of text.match(/[^.!?。！？\n]*(?:[.!?。！？\n]+\s*|$)/g) ?? [])
    for (let remaining = sentence; remaining !== ''; remaining = remaining.slice(PART_CHARS_MAX)) {
      const piece = remaining.slice(0, PART_CHARS_MAX);
      if ((parts.at(-1) ?? '').length + piece.length > PART_CHARS_MAX) parts.push(piece);
      else parts.push((parts.pop() ?? '') + piece);
    }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}
