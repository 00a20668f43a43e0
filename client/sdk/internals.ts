import type { Guide } from './guide.ts';
import type { HttpCall } from './http.ts';

/** How what a page adds to a guide calls the service as its visitor. A guide that nothing is added to carries none of it. */
export type GuideLine = {
  /** Ends with the guide. */
  readonly closing: AbortSignal;
  /** Calls with a fresh token, until either signal ends it; what streams afterwards is the caller's to end. */
  call<T>(signal: AbortSignal | undefined, call: CallAsVisitor<T>): Promise<T>;
  /** Sends at once with the token at hand, also after the end: for the moment in which the page goes. */
  lastCall<T>(call: CallAsVisitor<T>): Promise<T>;
};
export type CallAsVisitor<T> = Omit<HttpCall<T>, 'signal' | 'token'>;

const lines = new WeakMap<Guide, GuideLine>();

export function keepLine(guide: Guide, line: GuideLine): Guide {
  lines.set(guide, line);
  return guide;
}

export function lineOf(guide: Guide): GuideLine {
  const line = lines.get(guide);
  if (!line) throw new TypeError('Only what createGuide returned can be given a voice.');
  return line;
}

/** A signal that ends with either; `unlink` lets go of both and ends what still listens. */
export function linkedTo(...signals: (AbortSignal | undefined)[]): {
  signal: AbortSignal;
  unlink: () => void;
} {
  const controller = new AbortController();
  const abort = () => controller.abort();
  for (const signal of signals) {
    if (signal?.aborted) abort();
    signal?.addEventListener('abort', abort);
  }
  const unlink = () => {
    for (const signal of signals) signal?.removeEventListener('abort', abort);
    abort();
  };
  return { signal: controller.signal, unlink };
}
