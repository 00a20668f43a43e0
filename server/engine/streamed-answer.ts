import { isUtf8 } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';
import type { Dispatcher } from 'undici';
import type { LlmSettings } from '../llm-settings.ts';
import { CompletionReading } from './completion-chunk.ts';
import { EventData } from './event-data.ts';
import { ModelFailure, type ModelPart } from './model.ts';
import { Watch } from './watch.ts';

const EVENT_CHARS_MAX = 1_000_000;
const RETRY_AFTER_SECONDS_MAX = 3600;
const LINGER_MILLIS = 1000;
const HUNG_UP = new Error('hung up');

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * The parts of a streamed answer as they come, until the server says that it is done. A stream that just ends was cut. Is told of each piece by
 * the connection itself: a stream or an iterator in between would cost every open answer as much again.
 */
export class StreamedAnswer implements Dispatcher.DispatchHandler {
  readonly #events = new EventData(EVENT_CHARS_MAX);
  readonly #reading = new CompletionReading();
  readonly #watch: Watch;
  /** Only where a piece has ended within a character. */
  #decoder: StringDecoder | undefined;
  #came: ModelPart[] = [];
  #isOver = false;
  #failure: ModelFailure | undefined;
  #wake: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isLeft = false;
  #isClosed = false;
  #linger: NodeJS.Timeout | undefined;

  constructor(settings: LlmSettings) {
    this.#watch = new Watch(settings, (reason) => {
      this.#end(reason);
      this.hangUp();
    });
  }

  /** What has come since the last time; undefined after the last part. Throws what went wrong once all before it was taken. */
  take(): readonly ModelPart[] | undefined {
    const came = this.#came;
    if (came.length > 0) {
      this.#came = [];
      return came;
    }
    if (this.#failure) throw this.#failure;
    return this.#isOver ? undefined : came;
  }

  /** Resolves when there is something to take, or nothing any more. */
  news(): Promise<void> {
    if (this.#came.length > 0 || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  /** Nobody reads on: a connection of its own is closed, one that carries others as well is told. */
  hangUp(): void {
    this.#isLeft = true;
    this.#end(undefined);
    this.#controller?.abort(HUNG_UP);
  }

  /** The answer was taken to its end: its connection serves the next one, unless the server does not end it. */
  leave(): void {
    if (this.#isClosed) return;
    this.#linger = setTimeout(() => this.#controller?.abort(HUNG_UP), LINGER_MILLIS);
    this.#linger.unref();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isLeft) controller.abort(HUNG_UP);
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // Kept for as long as the answer is open, and nobody reads them.
    controller.rawHeaders = null;
    // Below 200, the answer itself is still to come.
    if (status > 200) this.#end(refusalOf(status, headers['retry-after']));
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#isOver) return;
    try {
      for (const data of this.#events.feed(this.#textOf(bytes))) {
        if (data === '[DONE]') {
          this.#finish();
          break;
        }
        const text = this.#reading.read(data);
        if (this.#reading.begun) this.#watch.alive();
        if (text !== '') this.#came.push({ type: 'text', text });
      }
      this.#tell();
    } catch (error) {
      this.#end(failureOf(error));
    }
  }

  onResponseEnd(): void {
    this.#close();
    if (!this.#isOver && this.#reading.finished) this.#finish();
    this.#end(new ModelFailure('broken', 'the answer was cut'));
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#close();
    this.#end(failureOf(error));
  }

  #textOf(bytes: Buffer): string {
    if (!this.#decoder && isUtf8(bytes)) return bytes.toString();
    this.#decoder ??= new StringDecoder('utf8');
    return this.#decoder.write(bytes);
  }

  #finish(): void {
    for (const call of this.#reading.calls()) this.#came.push({ type: 'call', call });
    this.#came.push(this.#reading.end());
    this.#end(undefined);
  }

  /** There is no more; the first reason counts. */
  #end(failure: ModelFailure | undefined): void {
    if (!this.#isOver) {
      this.#isOver = true;
      this.#failure = failure;
      this.#watch.stop();
    }
    this.#tell();
  }

  #close(): void {
    this.#isClosed = true;
    clearTimeout(this.#linger);
  }

  #tell(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** Only the status is told: what a server writes about an error may repeat a key or a question. */
function refusalOf(status: number, retryAfter: string | string[] | undefined): ModelFailure {
  const seconds = Number(retryAfter);
  const trouble = status === 429 ? 'rate_limited' : status >= 500 ? 'overloaded' : 'refused';
  return new ModelFailure(
    trouble,
    `status ${status}`,
    Number.isFinite(seconds) && seconds >= 0
      ? Math.min(Math.ceil(seconds), RETRY_AFTER_SECONDS_MAX)
      : undefined,
  );
}

/** How it is called when a connection was there and broke, or spoke another language. */
const CUT = /^(?:ECONNRESET|EPIPE|HPE_|ERR_HTTP2_|UND_ERR_(?!CONNECT))/;

function failureOf(error: unknown): ModelFailure {
  if (error instanceof SyntaxError || error instanceof RangeError)
    return new ModelFailure('broken', 'a malformed chunk');
  const { code } = error as NodeJS.ErrnoException;
  return new ModelFailure(CUT.test(code ?? '') ? 'broken' : 'unreachable', code ?? 'no connection');
}
