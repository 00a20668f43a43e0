/** Asking a person: what the script tag and the React components share. */

/** A question of the conversation with its answer, as the team gets it. */
export type SentTurn = { messageId: string; question: string; answer: string };

/** What the visitor enters into the form. */
export type HandoverFields = {
  message: string;
  name?: string | undefined;
  email?: string | undefined;
  /** A field that people do not see. */
  website?: string | undefined;
};

type StoredTurn = { message_id: string; state: string; message: string; answer: string };

/** Returns the turns that the visitor may send, oldest first. Only stored ones can be sent. */
export const toSentTurns = (
  turns: readonly StoredTurn[],
  { turns_max, answer_chars_max }: { turns_max: number; answer_chars_max: number },
): SentTurn[] =>
  turns
    .filter(({ state }) => state !== 'running')
    .slice(-turns_max)
    .map(({ message_id: messageId, message: question, answer }) => ({
      ...{ messageId, question },
      answer: cut(answer, answer_chars_max),
    }));

/** Cuts a text to a number of characters, as the service does. */
const cut = (text: string, charsMax: number) =>
  text.length > charsMax ? Array.from(text).slice(0, charsMax).join('') : text;

type Question = HandoverFields & {
  url: string;
  locale: string;
  conversation_id: string | undefined;
  transcript: string[] | undefined;
  shown_seconds: number;
};

type Guide<Sent> = {
  conversationId: string | undefined;
  askPerson(question: Question, options: { idempotencyKey: string }): PromiseLike<Sent>;
};

/** Returns the function with which a form sends, and with it the turns if the visitor agreed. Call it when the form is shown. */
export function openHandover<Sent>(
  guide: Guide<Sent>,
  turns: readonly SentTurn[],
  { locale, secondsMin }: { locale: string; secondsMin: number },
) {
  const shownAt = performance.now();
  const getShownSeconds = () => (performance.now() - shownAt) / 1000;
  let content = '';
  let idempotencyKey = '';
  return async (fields: HandoverFields, sendsTurns: boolean): Promise<Sent> => {
    // The service rejects a form that was sent sooner, because programs do that.
    const earlySeconds = secondsMin - getShownSeconds();
    if (earlySeconds > 0) await new Promise((resolve) => setTimeout(resolve, earlySeconds * 1000 + 50));
    const question = {
      ...fields,
      url: location.href,
      locale,
      conversation_id: turns.length > 0 ? guide.conversationId : undefined,
      transcript: sendsTurns ? turns.map(({ messageId }) => messageId) : undefined,
    };
    // A changed message is another one; the same one, sent again, is stored once.
    if (content !== JSON.stringify(question)) {
      content = JSON.stringify(question);
      idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join('-');
    }
    return guide.askPerson({ ...question, shown_seconds: getShownSeconds() }, { idempotencyKey });
  };
}
