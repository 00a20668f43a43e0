/** The answer as it grows. Engines count UTF-16 units, the wire counts code points; this keeps both. */
export type AnswerText = {
  readonly text: string;
  /** In code points. */
  readonly length: number;
  append(delta: string): void;
  clear(): void;
  /** Code points before this UTF-16 position. */
  codePointsAt(position: number): number;
};

export function createAnswerText(): AnswerText {
  let text = '';
  let length = 0;
  return {
    get text() {
      return text;
    },
    get length() {
      return length;
    },
    append(delta) {
      text += delta;
      length += codePoints(delta);
    },
    clear() {
      text = '';
      length = 0;
    },
    codePointsAt: (position) => codePoints(text.slice(0, position)),
  };
}

function codePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) pairs += 1;
  }
  return text.length - pairs;
}
