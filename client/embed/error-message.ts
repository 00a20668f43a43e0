import { type GuideError, isGuideError } from '../sdk/index.ts';
import { type Announcer, button, element, icon } from './element.ts';
import { WARNING } from './icons.ts';
import { fillIn, type Localization, type Texts } from './language.ts';

/** An error as the visitor sees it. */
export type ErrorMessage = {
  sentence: string;
  /** True when trying again may help. */
  retryable: boolean;
  /** How long to wait before trying again. */
  waitSeconds?: number;
  /** The id of the request, as the service's log names it. */
  requestId?: string | undefined;
  /** True for what the visitor has asked for, such as to stop, which is no error. */
  isWanted?: boolean;
};

export function toErrorMessage(error: unknown, { texts, locale }: Localization): ErrorMessage {
  if (!isGuideError(error)) return { sentence: texts.broken, retryable: true };
  const { code, retryAfterSeconds, status } = error;
  if (code === 'network' && !navigator.onLine) return { sentence: texts.offline, retryable: true };
  if (code === 'network' || code === 'timeout') return { sentence: texts.unreachable, retryable: true };
  if (code === 'rate_limit/exceeded' || status === 429) {
    const waitSeconds = retryAfterSeconds ?? 60;
    const time = formatTimeAfter(waitSeconds, locale);
    return { sentence: fillIn(texts.rateLimited, { time }), retryable: true, waitSeconds };
  }
  if (isPaused(error)) return { sentence: texts.paused, retryable: true, waitSeconds: RECHECK_SECONDS_MIN };
  if (status === 403 || code === 'bot') return { sentence: texts.unavailable, retryable: false };
  if (status === 503 || /^(server|storage)\//.test(code) || code === 'chat/too_many_streams')
    return { sentence: texts.busy, retryable: true, waitSeconds: retryAfterSeconds ?? 0 };
  return { sentence: texts.broken, retryable: true, requestId: error.requestId };
}

/** True while the kill switch is on, which lasts until an operator acts. */
export function isPaused({ code }: GuideError): boolean {
  return code === 'boot/unavailable' || code === 'guide/paused';
}

/** How long a paused guide waits before it asks again; each wait is twice as long as the one before. */
export const RECHECK_SECONDS_MIN = 30;
export const RECHECK_SECONDS_MAX = 480;

/** Shows an error, with the id of its request in a folded part. */
export function createTrouble(
  { sentence, requestId, isWanted }: Omit<ErrorMessage, 'retryable'>,
  texts: Texts,
  retryButton?: HTMLElement,
): HTMLElement {
  const details = requestId
    ? element(
        'details',
        {},
        element('summary', {}, texts.details),
        fillIn(texts.reference, { id: requestId }),
      )
    : undefined;
  return element(
    'div',
    { class: isWanted ? 'trouble calm' : 'trouble' },
    isWanted ? undefined : icon(WARNING),
    element('p', {}, sentence),
    retryButton,
    details,
  );
}

/** Formats the time of day when the wait is over, in minutes and never too early. */
function formatTimeAfter(seconds: number, locale: string): string {
  const minutes = Math.ceil((Date.now() / 1000 + seconds) / 60);
  return new Date(minutes * 60_000).toLocaleString(locale, { timeStyle: 'short' });
}

/**
 * Creates a button that counts down before it can be pressed. Screen readers announce the end of the wait, not every
 * second.
 */
export function createRetryButton(
  { texts, locale }: Localization,
  announcer: Announcer,
  waitSeconds: number,
  retry: () => void,
): HTMLButtonElement {
  const retryButton = button(texts.retry, { class: 'action' }, retry);
  if (waitSeconds <= 0) return retryButton;
  const endsAt = Date.now() + waitSeconds * 1000;
  const seconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'narrow' });
  retryButton.disabled = true;
  const tick = () => {
    const secondsLeft = Math.ceil((endsAt - Date.now()) / 1000);
    // Compare clocks: timers stop while the page sleeps.
    if (secondsLeft > 0) retryButton.textContent = `${texts.retry} (${seconds.format(secondsLeft)})`;
    else {
      clearInterval(timer);
      retryButton.disabled = false;
      retryButton.textContent = texts.retry;
      if (retryButton.isConnected) announcer.say(texts.goOn);
    }
  };
  const timer = setInterval(tick, 1000);
  tick();
  return retryButton;
}
