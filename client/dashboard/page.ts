import { element } from '../embed/element.ts';
import { createAccount } from '../sdk/account.ts';
import { type Wording, wordingFor } from './texts.ts';

/** What the pages have in common: the token of their link, the service behind them, and one place that is filled again and again. */

type Account = ReturnType<typeof createAccount>;

export type Page = Wording & {
  /** Where the service is, without a slash at the end. */
  readonly serviceUrl: string;
  readonly account: Account;
  /** What followed `#token=` in the link; undefined when nothing did. */
  readonly token: string | undefined;
  /** Puts this in the place of all that is there; the heading takes the focus where a person has to notice. */
  readonly show: (title: string, content: readonly (Node | undefined)[], focus?: 'heading') => void;
  /** Says something to assistive technology that is otherwise only seen. */
  readonly announce: (text: string) => void;
};

export function openPage(): Page {
  const token = takeToken();
  const wording = wordingFor(navigator.languages);
  document.documentElement.lang = wording.locale;
  // The page is one folder below the address of the service, which may be a folder itself behind a proxy.
  const serviceUrl = new URL('..', document.baseURI).href.replace(/\/$/, '');
  const main = document.querySelector('main') as HTMLElement;
  const status = element('p', { role: 'status', class: 'unseen' });
  main.after(status);
  return {
    ...wording,
    serviceUrl,
    account: createAccount({ baseUrl: serviceUrl }),
    token,
    show(title, content, focus) {
      const heading = element('h1', { tabindex: -1 }, title);
      document.title = title;
      main.replaceChildren(heading, ...content.filter((part) => part !== undefined));
      if (focus) heading.focus();
    },
    announce(text) {
      status.textContent = text;
    },
  };
}

/** Out of the address bar and the history at once: whoever looks over a shoulder or goes back finds no key. */
function takeToken(): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token')?.trim();
  // Another link of the same page, pasted into its address bar, loads nothing by itself.
  addEventListener('hashchange', () => location.reload());
  if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  return token || undefined;
}

export const paragraph = (text: string, kind?: string) => element('p', { class: kind }, text);

/** A command to type. */
export const command = (text: string) =>
  element('pre', { dir: 'ltr', translate: 'no' }, element('code', {}, text));
