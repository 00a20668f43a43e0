import type { LlmSettings } from '../llm-settings.ts';
import { ModelFailure } from './model.ts';

/** Hangs up on a server that takes too long: for the whole answer, to begin, or in between. */
export class Watch {
  readonly #idleMillis: number;
  readonly #hangUp: (reason: ModelFailure) => void;
  readonly #total: NodeJS.Timeout;
  #silence: NodeJS.Timeout;
  #isBegun = false;

  constructor(
    { timeoutMillis, firstTokenTimeoutMillis, idleTimeoutMillis }: LlmSettings,
    hangUp: (reason: ModelFailure) => void,
  ) {
    this.#idleMillis = idleTimeoutMillis;
    this.#hangUp = hangUp;
    this.#total = this.#after(timeoutMillis, 'total_timeout');
    this.#silence = this.#after(firstTokenTimeoutMillis, 'first_token_timeout');
  }

  /** The model has said something, or is thinking. */
  alive(): void {
    if (this.#isBegun) {
      this.#silence.refresh();
      return;
    }
    this.#isBegun = true;
    clearTimeout(this.#silence);
    this.#silence = this.#after(this.#idleMillis, 'idle_timeout');
  }

  stop(): void {
    clearTimeout(this.#total);
    clearTimeout(this.#silence);
  }

  #after(millis: number, kind: 'total_timeout' | 'first_token_timeout' | 'idle_timeout'): NodeJS.Timeout {
    return setTimeout(() => this.#hangUp(new ModelFailure(kind, `${millis} ms`)), millis);
  }
}
