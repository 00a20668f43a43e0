/** Removes the thinking that some servers put before the answer between <think> and </think>. */
export class ThinkTagFilter {
  #state: 'start' | 'thinking' | 'answer' = 'start';
  #held = '';

  /** Returns the new answer text. */
  feed(text: string): string {
    if (this.#state === 'answer') return text;
    this.#held += text;
    if (this.#state === 'start') {
      const start = this.#held.trimStart();
      if ('<think>'.startsWith(start.slice(0, 7)) && start.length < 7) return '';
      this.#state = start.startsWith('<think>') ? 'thinking' : 'answer';
      if (this.#state === 'answer') return this.#settle(this.#held);
    }
    const end = this.#held.indexOf('</think>');
    if (end < 0) {
      this.#held = this.#held.slice(-8);
      return '';
    }
    this.#state = 'answer';
    return this.#settle(this.#held.slice(end + 8).trimStart());
  }

  #settle(answer: string): string {
    this.#held = '';
    return answer;
  }
}
