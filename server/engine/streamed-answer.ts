import type { IncomingMessage } from 'node:http';
import { CompletionReading } from './completion-chunk.ts';
import { EventData } from './event-data.ts';
import { ModelFailure, type ModelPart } from './model.ts';
import type { Watch } from './watch.ts';

const EVENT_CHARS_MAX = 1_000_000;

/**
 * The parts of a streamed answer as they come, until the server says that it is done. A stream that just ends was cut. Reads events of the
 * response instead of iterating over it, which would cost every open answer as much again as its connection.
 */
export class StreamedAnswer {
  readonly #events = new EventData(EVENT_CHARS_MAX);
  readonly #reading = new CompletionReading();
  readonly #watch: Watch;
  #came: ModelPart[] = [];
  #isOver = false;
  #failure: unknown;
  #wake: (() => void) | undefined;

  constructor(response: IncomingMessage, watch: Watch) {
    this.#watch = watch;
    response.setEncoding('utf8');
    response.on('data', (piece: string) => this.#read(piece));
    response.once('end', () => this.#end(undefined));
    response.once('error', (error) => this.#end(error));
    response.once('close', () => this.#end(undefined));
  }

  /** What has come since the last time; undefined after the last part. Throws what went wrong once all before it was taken. */
  take(): readonly ModelPart[] | undefined {
    const came = this.#came;
    if (came.length > 0) {
      this.#came = [];
      return came;
    }
    if (this.#failure !== undefined) throw this.#failure;
    return this.#isOver ? undefined : came;
  }

  /** Resolves when there is something to take, or nothing any more. */
  news(): Promise<void> {
    if (this.#came.length > 0 || this.#isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #read(piece: string): void {
    if (this.#isOver) return;
    try {
      for (const data of this.#events.feed(piece)) {
        if (data === '[DONE]') {
          this.#finish();
          break;
        }
        const text = this.#reading.read(data);
        if (this.#reading.begun) this.#watch.alive();
        if (text !== '') this.#came.push({ type: 'text', text });
      }
    } catch (error) {
      this.#failure = error;
      this.#isOver = true;
    }
    this.#tell();
  }

  #finish(): void {
    for (const call of this.#reading.calls()) this.#came.push({ type: 'call', call });
    this.#came.push(this.#reading.end());
    this.#isOver = true;
  }

  /** The connection has no more. */
  #end(error: unknown): void {
    if (this.#isOver) return;
    if (error === undefined && this.#reading.finished) this.#finish();
    else this.#failure = error ?? new ModelFailure('broken', 'the answer was cut');
    this.#isOver = true;
    this.#tell();
  }

  #tell(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}
