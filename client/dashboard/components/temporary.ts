import { useEffect, useRef, useState } from 'react';
import { isGuideError } from '../../sdk/errors.ts';

/** Errors that may pass by themselves. */
const TEMPORARY = new Set([
  'network',
  'timeout',
  'protocol',
  'rate_limit/exceeded',
  'server/overloaded',
  'server/shutting_down',
  'storage/unavailable',
]);

export const isTemporary = (error: unknown) => isGuideError(error) && TEMPORARY.has(error.code);

const RETRY_SECONDS = 15;

/**
 * Tries again when a temporary failure may have passed: after the time that the server asked for,
 * or as soon as the browser is online. Returns when that will be.
 */
export function useAutomaticRetry(error: unknown, retry: (() => unknown) | undefined): Date | undefined {
  const latest = useRef(retry);
  latest.current = retry;
  const [at, setAt] = useState<Date>();
  const enabled = retry !== undefined;
  useEffect(() => {
    if (!enabled || !isTemporary(error)) {
      setAt(undefined);
      return;
    }
    const seconds = (isGuideError(error) && error.retryAfterSeconds) || RETRY_SECONDS;
    setAt(new Date(Date.now() + seconds * 1000));
    const retryNow = () => void latest.current?.();
    const timer = setTimeout(retryNow, seconds * 1000);
    addEventListener('online', retryNow);
    return () => {
      clearTimeout(timer);
      removeEventListener('online', retryNow);
    };
  }, [error, enabled]);
  return at;
}
