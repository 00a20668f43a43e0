import { createChunkLoader } from './chunks.ts';
import type { Emit } from './conversation.ts';
import type * as installErrors from './install-errors.ts';
import type * as launcherChunk from './launcher.ts';
import type { GuideElement as Declared, GuidepostContext, GuidepostOnPage } from './public-api.ts';
import { HOST_NAME } from './readable.ts';

/** The script tag. Everything else is loaded when the page is idle, or when the guide is used. */

let script = (document.currentScript ??
  document.querySelector('script[data-gp-app], script[data-gp-api]') ??
  [...document.scripts].find(({ src }) => /^[^?#]*\/guide\.js([?#]|$)/.test(src))) as
  | HTMLScriptElement
  | undefined;

const say = (sentence: string, error?: unknown) =>
  console.error(`Guidepost: ${sentence}`, ...(error ? [error] : []));

/** Reports errors on the console instead of throwing them into the page. */
async function safely(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    say('Something went wrong. The page is not affected.', error);
  }
}

/** Runs `work` when the page is idle after loading. A prerendered page waits until it is shown. */
function whenIdle(work: () => void, options: { once: true; signal: AbortSignal }): void {
  const runWhenIdle = () => (window.requestIdleCallback ?? setTimeout)(work, { timeout: 3000 } as never);
  const waitForIdle = () =>
    document.readyState === 'complete' ? runWhenIdle() : addEventListener('load', runWhenIdle, options);
  if ((document as { prerendering?: boolean }).prerendering)
    document.addEventListener('prerenderingchange', waitForIdle, options);
  else waitForIdle();
}

let ownHost: HTMLElement | undefined;

class GuideElement extends HTMLElement implements GuidepostOnPage {
  static observedAttributes = ['lang'];
  readonly #listeners = new Map<string, Set<(detail: never) => void>>();
  #leaving = new AbortController();
  #launcher: Promise<launcherChunk.Launcher> | undefined;
  #context: GuidepostContext | undefined;

  /** A second script on the page cannot define the element again, so the first one starts over. */
  static restart(tag: typeof script): void {
    if (ownHost || document.querySelector(HOST_NAME)) {
      say('The script is on this page twice. The second one is ignored.');
      return;
    }
    script = tag;
    begin();
  }

  connectedCallback(): void {
    // The element was removed and is inserted again.
    if (this.#leaving.signal.aborted) this.#leaving = new AbortController();
    whenIdle(() => this.isConnected && this.#call(), { once: true, signal: this.#leaving.signal });
  }

  /** Frameworks move elements, so check whether it stays removed. */
  disconnectedCallback(): void {
    setTimeout(() => this.isConnected || this.#end());
  }

  attributeChangedCallback(): void {
    if (this.#launcher) this.#call((launcher) => launcher.updateLanguage());
  }

  open(question?: string): void {
    const focusedBefore = document.activeElement;
    this.#call((launcher) => launcher.open(question, focusedBefore));
  }

  close(): void {
    if (this.#launcher) this.#call((launcher) => launcher.close());
  }

  ask(question: string): void {
    const focusedBefore = document.activeElement;
    this.#call((launcher) => launcher.ask(question, focusedBefore));
  }

  on: GuidepostOnPage['on'] = (event, listener) => {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener as never));
    return () => void listeners.delete(listener as never);
  };

  setContext(context: GuidepostContext | undefined): void {
    this.#context = context && { ...context };
  }

  destroy(): void {
    this.#end();
    this.#listeners.clear();
    if (window.Guidepost === this) delete window.Guidepost;
    if (ownHost === this) ownHost = undefined;
    this.remove();
  }

  #end(): void {
    this.#leaving.abort();
    this.#launcher?.then((launcher) => launcher.end()).catch(() => {});
    this.#launcher = undefined;
  }

  #call(work?: (launcher: launcherChunk.Launcher) => void): void {
    if (this.#leaving.signal.aborted) return;
    // The service cannot allow a sandboxed frame or a file, and there is nothing to repair. `location` would name a URL's origin.
    if (window.origin === 'null') {
      console.info('Guidepost: A page without an origin has no guide.');
      return;
    }
    void safely(async () => {
      this.#launcher ??= this.#load();
      const launcher = await this.#launcher;
      work?.(launcher);
    });
  }

  async #load(): Promise<launcherChunk.Launcher> {
    const folder = script?.src ? new URL('.', script.src).href : `${this.getAttribute('api')}/`;
    const load = createChunkLoader(folder);
    try {
      const { Launcher } = await load<typeof launcherChunk>('launcher');
      return new Launcher({
        host: this,
        load,
        emit: this.#emit,
        context: () => this.#context,
        chosenLanguage: () => script?.dataset.gpLang?.trim(),
        onInvalid: () => ownHost === this && this.destroy(),
      });
    } catch (error) {
      this.#launcher = undefined;
      say(
        `Could not load its files from ${folder}. Check that the page's content security policy allows them (script-src).`,
      );
      throw error;
    }
  }

  readonly #emit: Emit = (event, detail) => {
    for (const listener of this.#listeners.get(event) ?? []) void safely(() => listener(detail as never));
  };
}

/** Keeps the element on the page when scripts replace the body, until `destroy()`. */
function install(host: Declared): void {
  window.Guidepost = host;
  const watch = new MutationObserver(() => {
    if (ownHost !== host) watch.disconnect();
    else if (document.body) attach();
  });
  const attach = () => {
    if (!host.isConnected) {
      // A body restored from a copy contains a copy of the element.
      document.querySelector(HOST_NAME)?.remove();
      document.body.append(host);
    }
    for (const parent of [document.documentElement, document.body])
      watch.observe(parent, { childList: true });
  };
  attach();
}

/** Reports that both attributes are missing, unless the page has created its own element by then. */
function reportMissingAttributes(): void {
  const report = async () => {
    if (document.querySelector(HOST_NAME) || !script?.src) return;
    const load = createChunkLoader(new URL('.', script.src).href);
    const { explainInstallError } = await load<typeof installErrors>('install-errors');
    say(explainInstallError({ code: 'attributes_missing' }));
  };
  setTimeout(() => void safely(report), 2000);
}

function start(): void {
  const definedElement = customElements.get(HOST_NAME) as typeof GuideElement | undefined;
  if (definedElement) definedElement.restart(script);
  else {
    customElements.define(HOST_NAME, GuideElement);
    begin();
  }
}

function begin(): void {
  const { gpApp, gpApi, gpBoot, gpTheme, gpPosition, gpLauncher } = script?.dataset ?? {};
  // The page may create its own element.
  if (gpApp === undefined && gpApi === undefined)
    return void addEventListener('load', reportMissingAttributes);
  const host = document.createElement(HOST_NAME);
  host.setAttribute('app', gpApp ?? '');
  host.setAttribute('api', gpApi ?? '');
  const optional = { boot: gpBoot, theme: gpTheme, position: gpPosition, launcher: gpLauncher };
  for (const [name, value] of Object.entries(optional)) if (value) host.setAttribute(name, value);
  ownHost = host;
  if (document.body) install(host);
  else document.addEventListener('DOMContentLoaded', () => install(host));
}

void safely(start);
