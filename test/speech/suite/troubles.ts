import { inspect } from 'node:util';
import { expect, it } from 'vitest';
import { SpeechFailure, type SpeechFailureKind } from '../../../server/speech/speech.ts';
import { RETRY_AFTER_SECONDS, type Trouble, UNSPEAKABLE } from '../fakes/fake-provider.ts';
import type { Subject } from '../speech.suite.ts';

/** What becomes of each trouble that a provider can be in before it has answered. */
const MEANING: readonly (readonly [Trouble, SpeechFailureKind])[] = [
  ['unauthorized', 'credentials'],
  ['out of money', 'credentials'],
  ['busy', 'busy'],
  ['broken', 'upstream'],
  ['not understood', 'refused'],
  ['redirects', 'upstream'],
  ['garbage', 'upstream'],
  ['hangs', 'timeout'],
];

export const unaborted = () => new AbortController().signal;

export function describeTroubles(
  subject: () => Subject,
  ask: (subject: Subject, signal: AbortSignal) => Promise<unknown>,
  more: readonly (readonly [Trouble, SpeechFailureKind])[] = [],
): void {
  it.each([...MEANING, ...more])(
    'says what it means, and nothing that came or that it sent, when the provider: %s',
    async (trouble, kind) => {
      const { fake, provider, key } = subject();
      fake!.trouble = trouble;
      const failure = await failureOf(ask(subject(), unaborted()));
      expect({ provider: failure.provider, kind: failure.kind }).toEqual({ provider, kind });
      if (trouble === 'busy') expect(failure.retryAfterSeconds).toBe(RETRY_AFTER_SECONDS);
      if (trouble === 'hangs') await fake!.leftAlone();
      const everything = inspect(failure, { depth: 9, showHidden: true });
      expect(everything).not.toContain(key);
      expect(everything).not.toContain(UNSPEAKABLE);
      expect(failure.cause).toBeUndefined();
    },
  );

  it('says so when there is nobody at the address', async () => {
    await subject().fake!.close();
    expect(await failureOf(ask(subject(), unaborted()))).toMatchObject({ kind: 'upstream' });
  });

  it('asks nobody for a caller who has left already', async () => {
    const failure = await failureOf(ask(subject(), AbortSignal.abort()));
    expect(failure.kind).toBe('aborted');
    expect(subject().fake!.seen).toEqual([]);
  });

  it('hangs up on a provider that thinks when its caller hangs up', async () => {
    const { fake } = subject();
    fake!.trouble = 'hangs';
    const caller = new AbortController();
    const asked = failureOf(ask(subject(), caller.signal));
    await expect.poll(() => fake!.seen.length).toBe(1);
    caller.abort();
    expect((await asked).kind).toBe('aborted');
    await fake!.leftAlone();
  });
}

export async function failureOf(asked: Promise<unknown>): Promise<SpeechFailure> {
  const failure = await asked.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(SpeechFailure);
  return failure as SpeechFailure;
}
