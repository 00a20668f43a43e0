import { answerOf } from '../fixtures/answer.ts';
import type { Harness } from '../harness.ts';

/** Reads a conversation that nobody has: 404 says that the token was accepted. */
export async function worth(harness: Harness, jwt: string): Promise<string> {
  const { status, json } = await answerOf<{ error: string }>(
    harness.fetch('/conversations/none', { headers: { authorization: `Bearer ${jwt}` } }),
  );
  return status === 404 ? 'accepted' : json.error;
}
