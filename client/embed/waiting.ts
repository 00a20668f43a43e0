import type { Announcer } from './announcer.ts';
import { button } from './element.ts';
import type { Wording } from './texts.ts';

/** A button to try again that counts down until trying can help. It says the end of the wait, and not each second. */
export function retryButton(
  { texts, locale }: Wording,
  announcer: Announcer,
  waitSeconds: number,
  retry: () => void,
): HTMLButtonElement {
  const again = button(texts.retry, { class: 'action' }, retry);
  if (waitSeconds <= 0) return again;
  const endsAt = Date.now() + waitSeconds * 1000;
  const seconds = new Intl.NumberFormat(locale, { style: 'unit', unit: 'second', unitDisplay: 'narrow' });
  again.disabled = true;
  const tick = () => {
    const left = Math.ceil((endsAt - Date.now()) / 1000);
    // The clock decides: a page that slept has waited, too.
    if (left > 0) again.textContent = `${texts.retry} (${seconds.format(left)})`;
    else {
      clearInterval(timer);
      again.disabled = false;
      again.textContent = texts.retry;
      if (again.isConnected) announcer.say(texts.goOn);
    }
  };
  const timer = setInterval(tick, 1000);
  tick();
  return again;
}
