/**
 * Removes the thinking that models write before the answer: between `<think>` and `</think>`, without the opening tag where the
 * template of the server wrote it, or in the channels of gpt-oss.
 */

const OPENING = /^\s*(?:<(?:think|thinking|thought|reasoning)>|<\|channel\|>\s*(?:analysis|commentary))/i;
const CLOSING = /<\/(?:think|thinking|thought|reasoning)>|<\|channel\|>\s*final\s*<\|message\|>/gi;
/** Tokens of a template, such as `<|im_end|>`. */
const TOKEN = /<\|[\w/]{1,30}\|>/g;
const TRACE = /<\/?(?:think|thinking|thought|reasoning)>|<\|[\w/]{1,30}\|>/i;

/** Whether a text shows that a model thinks within it. */
export const hasThinking = (text: string): boolean => TRACE.test(text);

/** As long as the longest beginning of a tag or token. */
const TAG_CHARS_MAX = 40;

/** What is known of a model from earlier answers. */
export type Habits = {
  /** Whether it thinks, so that its answers need more tokens. */
  thinks: boolean;
  /** Whether it thinks without an opening tag. */
  thinksFirst: boolean;
};

export const createHabits = (): Habits => ({ thinks: false, thinksFirst: false });

export class ThinkingFilter {
  readonly #habits: Habits;
  #state: 'start' | 'thinking' | 'answer';
  /** Whether the answer is known to have begun with thinking. */
  #isOpened = false;
  #held = '';

  constructor(habits: Habits) {
    this.#habits = habits;
    this.#state = habits.thinksFirst ? 'thinking' : 'start';
  }

  /** Returns the new text of the answer, and whether all text before it turned out to be thinking. */
  feed(text: string): { text: string; retracts: boolean } {
    this.#held += text;
    if (this.#state === 'start') this.#start();
    const closing = [...this.#held.matchAll(CLOSING)].at(-1);
    if (closing) return this.#close(closing.index + closing[0].length);
    if (this.#state === 'thinking' && this.#isOpened) this.#held = this.#held.slice(-TAG_CHARS_MAX);
    return { text: this.#state === 'answer' ? this.#take(findTagStart(this.#held)) : '', retracts: false };
  }

  /** Returns the text that is left: thinking that was never opened or closed was the answer. */
  end(): string {
    return this.#isOpened && this.#state === 'thinking' ? '' : this.#take(this.#held.length);
  }

  #start(): void {
    const isOpening = OPENING.test(this.#held);
    const text = this.#held.trimStart();
    if (!isOpening && (text === '' || findTagStart(text) === 0)) return;
    this.#state = isOpening ? 'thinking' : 'answer';
    this.#isOpened = isOpening;
    if (isOpening) this.#habits.thinks = true;
  }

  #close(end: number): { text: string; retracts: boolean } {
    const retracts = this.#state === 'answer';
    this.#habits.thinks = true;
    if (!this.#isOpened) this.#habits.thinksFirst = true;
    this.#state = 'answer';
    this.#isOpened = true;
    this.#held = this.#held.slice(end).trimStart();
    return { text: this.#take(findTagStart(this.#held)), retracts };
  }

  #take(length: number): string {
    const text = this.#held.slice(0, length).replace(TOKEN, '');
    this.#held = this.#held.slice(length);
    return text;
  }
}

/** Returns where a tag may begin that is not complete. */
function findTagStart(text: string): number {
  const at = text.lastIndexOf('<');
  const isOpen =
    at >= 0 && text.length - at < TAG_CHARS_MAX && /^<[/|]?[\w|/]*(?:\|>\s*\w*)?$/.test(text.slice(at));
  return isOpen ? at : text.length;
}
