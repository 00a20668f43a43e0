import { answerOf } from '../fixtures/answer.ts';
import type { Harness } from '../harness.ts';

/** Requests an unknown conversation: 404 means that the token was accepted. */
export async function getTokenStatus(harness: Harness, jwt: string): Promise<string> {
  const { status, json } = await answerOf<{ error: string }>(
    harness.fetch('/conversations/none', { headers: { authorization: `Bearer ${jwt}` } }),
  );
  return status === 404 ? 'accepted' : json.error;
}
