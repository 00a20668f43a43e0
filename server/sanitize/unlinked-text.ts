import type { Piece } from '../base/visible-text.ts';
import type { PublishedText } from './published-text.ts';

/**
 * Takes the Markdown off links and images that the answer filter would break: of `[here](https://other.example)` the label stays,
 * of `![logo](https://other.example)` nothing. Works on a stream; the output does not depend on chunk boundaries.
 */

const LABEL = '!?\\[([^\\][\\n]{0,300})';
const LINK = new RegExp(`^${LABEL}\\]\\(([^()\\n]{0,1000}(?:\\([^()\\n]{0,300}\\)[^()\\n]{0,300})?)\\)`);
/** A text that may become a link. */
const BEGINNING = new RegExp(
  `^(?:!|${LABEL}(?:\\](?:\\([^()\\n]{0,1000}(?:\\([^()\\n]{0,300}\\)?[^()\\n]{0,300})?)?)?)$`,
);
const OPENING = /!(?=\[|$)|\[/;

export class UnlinkedText {
  /** Number of links and images without a published destination. */
  dropped = 0;
  readonly #published: PublishedText;
  #held = '';

  constructor(published: PublishedText) {
    this.#published = published;
  }

  push(text: string, isLast: boolean): readonly Piece[] {
    this.#held += text;
    const pieces: Piece[] = [];
    while (this.#held !== '') {
      const opening = this.#held.search(OPENING);
      if (opening !== 0) this.#take(pieces, opening < 0 ? this.#held.length : opening);
      else if (!isLast && BEGINNING.test(this.#held)) break;
      else this.#takeLink(pieces);
    }
    return pieces;
  }

  #takeLink(pieces: Piece[]): void {
    const [link, label = '', destination = ''] = LINK.exec(this.#held) ?? [];
    if (link === undefined || this.#published.containsDestination(destination)) {
      this.#take(pieces, link?.length ?? 1);
      return;
    }
    this.dropped += 1;
    pieces.push({ consumed: link.length, output: link.startsWith('!') ? '' : label });
    this.#held = this.#held.slice(link.length);
  }

  #take(pieces: Piece[], length: number): void {
    const output = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    pieces.push({ consumed: length, output });
  }
}
