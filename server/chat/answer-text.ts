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
  const answer = {
    text: '',
    length: 0,
    append(delta: string) {
      answer.text += delta;
      answer.length += codePoints(delta);
    },
    clear() {
      answer.text = '';
      answer.length = 0;
    },
    codePointsAt: (position: number) => codePoints(answer.text.slice(0, position)),
  };
  return answer;
}

function codePoints(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0xd800 && unit <= 0xdbff) pairs += 1;
  }
  return text.length - pairs;
}
