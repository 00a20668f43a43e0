import type { HttpCall } from './http.ts';

/** What extensions of a guide, such as `withVoice`, use to call the service as its visitor. */
export type GuideInternals = {
  /** Aborts when the guide is closed. */
  readonly closing: AbortSignal;
  /** Calls with a fresh token until either signal aborts. Streaming the body afterwards is up to the caller. */
  call<T>(signal: AbortSignal | undefined, call: VisitorCall<T>): Promise<T>;
  /** Sends at once with the current token, even after `close()`: for when the page is being left. */
  lastCall<T>(call: VisitorCall<T>): Promise<T>;
};
export type VisitorCall<T> = Omit<HttpCall<T>, 'signal' | 'token'>;

const internals = new WeakMap<object, GuideInternals>();

export function attachInternals<G extends object>(guide: G, own: GuideInternals): G {
  internals.set(guide, own);
  return guide;
}

export function getInternals(guide: object): GuideInternals {
  const own = internals.get(guide);
  if (!own) throw new TypeError('withVoice takes a guide that createGuide returned.');
  return own;
}
