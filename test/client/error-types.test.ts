import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type AnyGuideError,
  type BucketName,
  GuideError,
  type GuideErrorCode,
  isGuideError,
} from '../../client/sdk/index.ts';
import { ERROR_CODES } from '../../contract/errors.ts';

/** The compiler is the test of these: what must not be possible has to be an error there, or the check fails. */

/** What a page could say. Leaving out a code that exists does not compile. */
function sentence(error: AnyGuideError): string {
  switch (error.code) {
    case 'rate_limit/exceeded':
      return `${error.bucket} for ${error.retryAfterSeconds.toFixed()} s`;
    case 'article/conflict':
      return `revision ${error.currentRevision.toFixed()} of ${error.changedBy.trim()}`;
    case 'translation/stale':
      return `revision ${error.currentSourceRevision.toFixed()}`;
    case 'network':
    case 'timeout':
    case 'aborted':
    case 'protocol':
    case 'microphone':
    case 'unsupported':
      return 'no answer';
    default:
      return statusOf(error.code);
  }
}

/** Takes refusals alone: what never came from the service must have had its case. */
function statusOf(code: keyof typeof ERROR_CODES): string {
  return `status ${ERROR_CODES[code].status}`;
}

describe('an error', () => {
  test('is told apart by its code, with what comes with it', () => {
    const limit = { bucket: 'boot/rate-limited', retryAfterSeconds: 7 } as const;
    const errors: unknown[] = [
      new GuideError('rate_limit/exceeded', 'Wait.', limit),
      new GuideError('network', 'Gone.'),
      new GuideError('message/not_found', 'No.'),
    ];
    const said = errors.map((error) => (isGuideError(error) ? sentence(error) : 'foreign'));
    expect(said).toEqual(['boot/rate-limited for 7 s', 'no answer', 'status 404']);
  });

  test('knows what its code brings, and only that', () => {
    const error: unknown = new GuideError('rate_limit/exceeded', 'Wait.');
    if (isGuideError(error, 'rate_limit/exceeded')) {
      expectTypeOf(error.code).toEqualTypeOf<'rate_limit/exceeded'>();
      expectTypeOf(error.bucket).toEqualTypeOf<BucketName>();
      expectTypeOf(error.currentRevision).toEqualTypeOf<number | undefined>();
    }
    if (isGuideError(error, 'article/not_allowed')) expectTypeOf(error.currentStatus).toEqualTypeOf<string>();
  });

  test('has every code of the contract and no other', () => {
    type OfTheClient = 'network' | 'timeout' | 'aborted' | 'protocol' | 'microphone' | 'unsupported';
    expectTypeOf<Exclude<GuideErrorCode, OfTheClient>>().toEqualTypeOf<keyof typeof ERROR_CODES>();
    expectTypeOf<AnyGuideError['code']>().toEqualTypeOf<GuideErrorCode>();
  });

  test('cannot be asked for a code that does not exist', () => {
    // @ts-expect-error There is no such code.
    expect(isGuideError(new GuideError('network', 'Gone.'), 'chat/nonsense')).toBe(false);
    // @ts-expect-error There is no such code.
    expect(new GuideError('chat/nonsense', 'No.').code).toBe('chat/nonsense');
  });

  test('makes a switch that forgets a code fail to compile', () => {
    const forgetful = (error: AnyGuideError): 'limit' => {
      if (error.code === 'rate_limit/exceeded') return 'limit';
      // @ts-expect-error All the other codes are still possible.
      const nothingLeft: never = error;
      return nothingLeft;
    };
    expect(forgetful(new GuideError('rate_limit/exceeded', 'Wait.') as AnyGuideError)).toBe('limit');
  });
});
