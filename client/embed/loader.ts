import { type Load, piecesIn } from './chunks.ts';
import type { Emit } from './conversation.ts';
import type * as installErrors from './install-errors.ts';
import type * as launcherPiece from './launcher.ts';
import type { GuideElement as Declared, GuidepostContext, GuidepostOnPage } from './public-api.ts';
import { HOST_NAME } from './readable.ts';

/** The script tag: all that a page loads before its first idle time, or before the guide is called for. */

let script = (document.currentScript ??
  document.querySelector('script[data-gp-app], script[data-gp-api]') ??
  [...document.scripts].find(({ src }) => /^[^?#]*\/guide\.js([?#]|$)/.test(src))) as
  | HTMLScriptElement
  | undefined;

const say = (sentence: string, error?: unknown) =>
  console.error(`Guidepost: ${sentence}`, ...(error ? [error] : []));

/** Whatever goes wrong is said on the console and never thrown into the page. */
async function safely(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    say('Something went wrong in the guide.', error);
  }
}

/** The first idle time after the page is there; a page that is only prepared has none. */
function whenIdle(work: () => void, options: { readonly once: true; readonly signal: AbortSignal }): void {
  const idle = () => (window.requestIdleCallback ?? setTimeout)(work, { timeout: 3000 } as never);
  const loaded = () =>
    document.readyState === 'complete' ? idle() : addEventListener('load', idle, options);
  if ((document as { prerendering?: boolean }).prerendering)
    document.addEventListener('prerenderingchange', loaded, options);
  else loaded();
}

let own: HTMLElement | undefined;

class GuideElement extends HTMLElement implements GuidepostOnPage {
  static observedAttributes = ['lang'];
  readonly #listeners = new Map<string, Set<(detail: never) => void>>();
  #leaving = new AbortController();
  #launcher: Promise<launcherPiece.Launcher> | undefined;
  #context: GuidepostContext | undefined;

  /** A name stays defined for the life of a page: a script that comes later begins with what the first one brought. */
  static again(tag: typeof script): void {
    if (own || document.querySelector(HOST_NAME)) {
      say('The script is on this page twice; the second one does nothing.');
      return;
    }
    script = tag;
    begin();
  }

  connectedCallback(): void {
    // One that stayed away and comes back begins anew.
    if (this.#leaving.signal.aborted) this.#leaving = new AbortController();
    whenIdle(() => this.isConnected && this.#call(), { once: true, signal: this.#leaving.signal });
  }

  /** Frameworks move elements about: only one that stays away is at its end. */
  disconnectedCallback(): void {
    setTimeout(() => this.isConnected || this.#end());
  }

  attributeChangedCallback(): void {
    if (this.#launcher) this.#call((launcher) => launcher.label());
  }

  open(question?: string): void {
    const before = document.activeElement;
    this.#call((launcher) => launcher.open(question, before));
  }

  close(): void {
    if (this.#launcher) this.#call((launcher) => launcher.close());
  }

  ask(question: string): void {
    const before = document.activeElement;
    this.#call((launcher) => launcher.ask(question, before));
  }

  on: GuidepostOnPage['on'] = (event, listener) => {
    const heard = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, heard.add(listener as never));
    return () => void heard.delete(listener as never);
  };

  setContext(context: GuidepostContext | undefined): void {
    this.#context = context && { ...context };
  }

  destroy(): void {
    this.#end();
    this.#listeners.clear();
    if (window.Guidepost === this) delete window.Guidepost;
    if (own === this) own = undefined;
    this.remove();
  }

  #end(): void {
    this.#leaving.abort();
    this.#launcher?.then((launcher) => launcher.end()).catch(() => {});
    this.#launcher = undefined;
  }

  #call(work?: (launcher: launcherPiece.Launcher) => void): void {
    if (this.#leaving.signal.aborted) return;
    void safely(async () => {
      this.#launcher ??= this.#load();
      const launcher = await this.#launcher;
      work?.(launcher);
    });
  }

  async #load(): Promise<launcherPiece.Launcher> {
    const folder = script?.src ? new URL('.', script.src).href : `${this.getAttribute('api')}/`;
    const load = piecesIn(folder);
    try {
      const { openLauncher } = await load<typeof launcherPiece>('launcher');
      return openLauncher({
        host: this,
        load,
        emit: this.#emit,
        context: () => this.#context,
        chosenLanguage: () => script?.dataset.gpLang?.trim(),
        onWrong: () => own === this && this.destroy(),
      });
    } catch (error) {
      this.#launcher = undefined;
      say(
        `Its files could not be loaded from ${folder}. Check that the script-src of this page's content security policy allows them.`,
      );
      throw error;
    }
  }

  readonly #emit: Emit = (event, detail) => {
    for (const listener of this.#listeners.get(event) ?? []) void safely(() => listener(detail as never));
  };
}

/** Stays on the page when its scripts exchange the body, until it is told to go. */
function install(host: Declared): void {
  window.Guidepost = host;
  const watch = new MutationObserver(() => {
    if (own !== host) watch.disconnect();
    else if (document.body) attach();
  });
  const attach = () => {
    if (!host.isConnected) {
      // A body that was kept as a copy holds a copy of it.
      document.querySelector(HOST_NAME)?.remove();
      document.body.append(host);
    }
    for (const parent of [document.documentElement, document.body])
      watch.observe(parent, { childList: true });
  };
  attach();
}

/** Whoever forgot both attributes wants to know; whoever makes an element has made it by then. */
function wonder(): void {
  const told = async () => {
    if (document.querySelector(HOST_NAME) || !script?.src) return;
    const load: Load = piecesIn(new URL('.', script.src).href);
    const { sentenceOf } = await load<typeof installErrors>('install-errors');
    say(sentenceOf({ code: 'nowhere' }));
  };
  setTimeout(() => void safely(told), 2000);
}

function start(): void {
  const first = customElements.get(HOST_NAME) as typeof GuideElement | undefined;
  if (first) first.again(script);
  else {
    customElements.define(HOST_NAME, GuideElement);
    begin();
  }
}

function begin(): void {
  const { gpApp, gpApi, gpBoot } = script?.dataset ?? {};
  // A page may bring its own element.
  if (gpApp === undefined && gpApi === undefined) return void addEventListener('load', wonder);
  const host = document.createElement(HOST_NAME);
  host.setAttribute('app', gpApp ?? '');
  host.setAttribute('api', gpApi ?? '');
  if (gpBoot) host.setAttribute('boot', gpBoot);
  own = host;
  if (document.body) install(host);
  else document.addEventListener('DOMContentLoaded', () => install(host));
}

void safely(start);
