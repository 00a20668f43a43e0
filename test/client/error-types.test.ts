import { describe, expect, expectTypeOf, test } from 'vitest';
import {
  type AnyGuideError,
  type BucketName,
  GuideError,
  type GuideErrorCode,
  isGuideError,
} from '../../client/sdk/index.ts';
import { ERROR_CODES } from '../../contract/errors.ts';

/** Tested by the compiler: each `@ts-expect-error` must be an error. */

/** Does not compile when a code is missing. */
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

/** Accepts only codes of the service: the client's own codes must have been handled before. */
function statusOf(code: keyof typeof ERROR_CODES): string {
  return `status ${ERROR_CODES[code].status}`;
}

describe('GuideError types', () => {
  test('narrow to the details of a code', () => {
    const limit = { bucket: 'boot/rate-limited', retryAfterSeconds: 7 } as const;
    const errors: unknown[] = [
      new GuideError('rate_limit/exceeded', 'Wait.', limit),
      new GuideError('network', 'Gone.'),
      new GuideError('message/not_found', 'No.'),
    ];
    const sentences = errors.map((error) => (isGuideError(error) ? sentence(error) : 'foreign'));
    expect(sentences).toEqual(['boot/rate-limited for 7 s', 'no answer', 'status 404']);
  });

  test('have the details of their code and no others', () => {
    const error: unknown = new GuideError('rate_limit/exceeded', 'Wait.');
    if (isGuideError(error, 'rate_limit/exceeded')) {
      expectTypeOf(error.code).toEqualTypeOf<'rate_limit/exceeded'>();
      expectTypeOf(error.bucket).toEqualTypeOf<BucketName>();
      expectTypeOf(error.currentRevision).toEqualTypeOf<number | undefined>();
    }
    if (isGuideError(error, 'article/not_allowed')) expectTypeOf(error.currentStatus).toEqualTypeOf<string>();
  });

  test('have every code of the contract and no others', () => {
    type OfTheClient = 'network' | 'timeout' | 'aborted' | 'protocol' | 'microphone' | 'unsupported';
    expectTypeOf<Exclude<GuideErrorCode, OfTheClient>>().toEqualTypeOf<keyof typeof ERROR_CODES>();
    expectTypeOf<AnyGuideError['code']>().toEqualTypeOf<GuideErrorCode>();
  });

  test('reject a code that does not exist', () => {
    // @ts-expect-error There is no such code.
    expect(isGuideError(new GuideError('network', 'Gone.'), 'chat/nonsense')).toBe(false);
    // @ts-expect-error There is no such code.
    expect(new GuideError('chat/nonsense', 'No.').code).toBe('chat/nonsense');
  });

  test('reject a switch that misses a code', () => {
    const forgetful = (error: AnyGuideError): 'limit' => {
      if (error.code === 'rate_limit/exceeded') return 'limit';
      // @ts-expect-error All the other codes are still possible.
      const nothingLeft: never = error;
      return nothingLeft;
    };
    expect(forgetful(new GuideError('rate_limit/exceeded', 'Wait.') as AnyGuideError)).toBe('limit');
  });
});
