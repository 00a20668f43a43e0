import type { RatingDetails } from '../sdk/guide.ts';
import { type Announcer, button, element } from './element.ts';
import { COPY, THUMB_DOWN, THUMB_UP } from './icons.ts';
import type { Localization } from './language.ts';
import type { RatingFormDeps } from './rating-form.ts';

export type Rating = 'up' | 'down';

export type MessageToolsDeps = {
  localization: Localization;
  announcer: Announcer;
  onRate: (messageId: string, rating: Rating, details?: RatingDetails) => Promise<unknown>;
  /** Creates the form for the details of a bad rating. `onSend` says whether they were stored. */
  createRatingForm: (onSend: RatingFormDeps['onSend']) => Promise<HTMLElement | undefined>;
};

/** A message to rate, and the visitor's rating of it. */
type RatableMessage = { messageId: string; rating?: Rating | undefined };

/** Creates the row of icons below an answer, with a form for details after a bad rating. */
export function createMessageTools(
  text: string,
  message: RatableMessage | undefined,
  deps: MessageToolsDeps,
): HTMLElement {
  const { texts } = deps.localization;
  const status = element('span', { class: 'note' });
  const say = (sentence: string) => {
    status.textContent = sentence;
    deps.announcer.say(sentence);
  };
  const copy = createCopyButton(
    () => text,
    texts.copy,
    (isCopied) => say(isCopied ? texts.copied : texts.failed),
  );
  const more = element('div');
  const rating = message && createRating(message, deps, { say, more });
  return element('div', {}, element('div', { class: 'tools' }, rating, copy, status), more);
}

type RatingView = {
  say: (sentence: string) => void;
  /** Holds the form for details. */
  more: HTMLElement;
};

function createRating(
  { messageId, rating: earlierRating }: RatableMessage,
  { localization, onRate, createRatingForm }: MessageToolsDeps,
  { say, more }: RatingView,
): HTMLElement {
  const { texts } = localization;
  const send = async (rating: Rating, details?: RatingDetails) => {
    const isRated = await onRate(messageId, rating, details).then(
      () => true,
      () => false,
    );
    // A bad rating is complete with its details.
    if (!isRated) say(texts.failed);
    else if (rating === 'up' || details) say(texts.thanks);
    return isRated;
  };
  const showRating = (rating: Rating | undefined) => {
    upButton.setAttribute('aria-pressed', String(rating === 'up'));
    downButton.setAttribute('aria-pressed', String(rating === 'down'));
  };
  const rate = (rating: Rating) => async () => {
    if (!(await send(rating))) return;
    showRating(rating);
    more.replaceChildren();
    if (rating === 'up') return;
    const form = await createRatingForm((details) => send(rating, details));
    if (!form || downButton.ariaPressed !== 'true') return;
    more.replaceChildren(form);
    more.scrollIntoView({ block: 'nearest' });
  };
  const upButton = button('', { class: 'tool', label: texts.yes, icon: THUMB_UP }, rate('up'));
  const downButton = button('', { class: 'tool', label: texts.no, icon: THUMB_DOWN }, rate('down'));
  showRating(earlierRating);
  const question = element('span', { class: 'unseen' }, texts.helpful);
  return element(
    'div',
    { class: 'rating', role: 'group', 'aria-label': texts.helpful },
    question,
    upButton,
    downButton,
  );
}

/** A button that copies a text. */
export function createCopyButton(
  text: () => string,
  label: string,
  say: (isCopied: boolean) => void,
): HTMLElement {
  const copy = button('', { class: 'tool', label, icon: COPY }, async () =>
    say(await copyText(text(), copy.getRootNode()).catch(() => false)),
  );
  return copy;
}

/** Copies a text, also where `navigator.clipboard` is missing (insecure pages) or not allowed (some frames). */
async function copyText(text: string, root: Node): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {}
  const fillClipboard = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  const copying = new AbortController();
  // The event is that of the focused element, which may be outside of the shadow tree.
  for (const target of [document, root])
    target.addEventListener('copy', fillClipboard as EventListener, { signal: copying.signal });
  const isCopied = document.execCommand('copy');
  copying.abort();
  return isCopied;
}
