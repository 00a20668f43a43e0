import { keepApart } from './apart.ts';
import { createChunkLoader } from './chunks.ts';
import type { Emit } from './conversation.ts';
import { HOST_NAME, SEARCH_NAME } from './host-name.ts';
import type * as launcherChunk from './launcher.ts';
import type { GuideElement as Declared, GuidepostContext, GuidepostOnPage } from './public-api.ts';

/** The script tag. Everything else is loaded when the page is idle, or when the guide is used. */

let script = (document.currentScript ??
  document.querySelector('script[data-gp-app], script[data-gp-api]') ??
  [...document.scripts].filter(({ src }) => /^[^?#]*\/guide\.js([?#]|$)/.test(src))[0]) as
  | HTMLScriptElement
  | undefined;

/** Taken before other scripts wrap it. */
const ownFetch = fetch.bind(window);

/** Reads a setting: of the script tag, of its address (`guide.js?app=…`), or of `GuidepostSettings`. */
function readSetting(name: string): string | undefined {
  return (
    script?.getAttribute(`data-gp-${name}`) ??
    new URL(script?.src || 'data:').searchParams.get(name) ??
    window.GuidepostSettings?.[name as 'app']
  );
}

const say = (sentence: string, ...details: unknown[]) => console.error(`Guidepost: ${sentence}`, ...details);

/** Reports errors on the console instead of throwing them into the page. */
async function safely(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch (error) {
    say('Something went wrong. The page is not affected.', error);
  }
}

/** Waits for an event of the page's loading, or a while: a file that hangs, or a script, may hold the event back. */
const waitFor = (event: 'load' | 'DOMContentLoaded') =>
  new Promise<unknown>((resolve) => {
    addEventListener(event, resolve);
    setTimeout(resolve, 5000);
  });

/** Runs `work` when the page is idle after loading. A prerendered page waits until it is shown. */
function whenIdle(work: () => void, signal?: AbortSignal): void {
  const options = { once: true, signal } as AddEventListenerOptions;
  const runWhenIdle = () => (window.requestIdleCallback ?? setTimeout)(work, { timeout: 3000 } as never);
  const waitForIdle = () =>
    document.readyState === 'complete' ? runWhenIdle() : void waitFor('load').then(runWhenIdle);
  if ((document as { prerendering?: boolean }).prerendering)
    document.addEventListener('prerenderingchange', waitForIdle, options);
  else waitForIdle();
}

let ownHost: HTMLElement | undefined;
/** The element in which `ownHost` was installed. */
let root: Element | undefined;

class GuideElement extends HTMLElement implements GuidepostOnPage {
  static observedAttributes = ['lang', 'inert', 'aria-hidden'];
  /** Not a `Map`: pages have functions of that name. */
  #listeners: (readonly [event: string, listener: (detail: never) => void])[] = [];
  #leaving = new AbortController();
  #launcher: Promise<launcherChunk.Launcher> | undefined;
  #context: GuidepostContext | undefined;

  /** A second script on the page cannot define the element again, so the first one starts over. */
  static restart(tag: typeof script): void {
    if (ownHost || document.querySelector(HOST_NAME)) {
      // A framework that replaces the body runs its scripts again.
      if (script?.isConnected) say('The script is on this page twice.');
      return;
    }
    script = tag;
    begin();
  }

  connectedCallback(): void {
    // The element was removed and is inserted again.
    if (this.#leaving.signal.aborted) this.#leaving = new AbortController();
    if (!this.hasAttribute('inline')) rise(this);
    listen();
    whenIdle(() => this.isConnected && this.#call(), this.#leaving.signal);
  }

  /** Frameworks move elements, so check whether it stays removed. */
  disconnectedCallback(): void {
    setTimeout(() => {
      if (this.isConnected) return;
      // `document.open()` has removed the listeners, too.
      const isRewritten = root !== document.documentElement;
      if (this !== ownHost || isRewritten || !place(this)) this.#end();
      if (this === ownHost && isRewritten) whenParsed(this);
    });
  }

  /** Libraries ask this before they take a key for a shortcut. They cannot see the field in the shadow tree. */
  override get isContentEditable(): boolean {
    return !!this.shadowRoot?.activeElement?.matches('input,textarea');
  }

  attributeChangedCallback(name?: string): void {
    // A dialog of the page makes its siblings inert, and the guide is one of them.
    if (name && name !== 'lang') setTimeout(() => this.removeAttribute(name));
    else if (this.#launcher) this.#call((launcher) => launcher.update());
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
    const added = [event, listener] as const;
    this.#listeners = [...this.#listeners, added];
    return () => {
      this.#listeners = this.#listeners.filter((each) => each !== added);
    };
  };

  setContext(context: GuidepostContext | undefined): void {
    this.#context = context && { ...context };
  }

  destroy(): void {
    this.#end();
    this.#listeners = [];
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
        chosenLanguage: () => readSetting('lang')?.trim(),
        fetch: ownFetch,
        onInvalid: () => ownHost === this && this.destroy(),
      });
    } catch (error) {
      this.#launcher = undefined;
      say(`Could not load its files from ${folder}. Check that the page's policy allows them (script-src).`);
      throw error;
    }
  }

  readonly #emit: Emit = (event, detail) => {
    for (const [of, listener] of this.#listeners)
      if (of === event) void safely(() => listener(detail as never));
  };
}

/** An element in which the page wants a button that opens the search. The launcher fills it. */
class SearchElement extends HTMLElement {
  connectedCallback(): void {
    document.querySelector<GuideElement>(HOST_NAME)?.attributeChangedCallback();
  }
}

/** Shows an element above the page, where nothing that the page does to the elements around it moves or clips it. */
function rise(host: HTMLElement): void {
  host.popover = 'manual';
  // Also above a dialog that has been opened since.
  host.hidePopover();
  host.showPopover();
}

/** True for a modal dialog and for an element in fullscreen, outside of which browsers make everything inert. An element in fullscreen that contains a video is left alone. */
const isModal = (part: Node | EventTarget | null | undefined) =>
  (part as Partial<Element> | null)?.matches?.('dialog:modal,:fullscreen:not(:has(video))');

const INSERTIONS_MAX = 10;
const SETTLED_MILLIS = 10_000;
/** Insertions within that time. */
let insertions = 0;

/**
 * Puts the element into the modal part that is open, else beside the body, which frameworks replace and restyle. False when
 * another script removes it each time.
 */
function place(host: HTMLElement, opened?: Element): boolean {
  const modals = [opened, host.parentNode, ...[...document.querySelectorAll('dialog')].reverse()];
  const parent = (modals.filter(isModal)[0] as Element | undefined) ?? document.documentElement;
  if (host.parentNode === parent || host.hasAttribute('inline')) return true;
  if (host.isConnected) {
    // `moveBefore` keeps the focus and what the visitor has scrolled to.
    if (parent.moveBefore) parent.moveBefore(host, null);
    else parent.append(host);
    rise(host);
    // The window does not hear of dialogs in shadow trees.
    parent.addEventListener('close', () => place(host), { once: true });
    return true;
  }
  setTimeout(() => insertions--, SETTLED_MILLIS);
  if (++insertions > INSERTIONS_MAX) {
    say('Another script keeps removing the guide.');
    return false;
  }
  // A page restored from a copy contains a copy of the element.
  document.querySelector(HOST_NAME)?.remove();
  parent.append(host);
  return true;
}

/** Keeps the element on the page, whatever other scripts replace, until `destroy()`. */
function install(host: Declared): void {
  window.Guidepost = host;
  root = document.documentElement;
  place(host);
}

function whenParsed(host: Declared): void {
  if (document.body) install(host);
  else void waitFor('DOMContentLoaded').then(() => install(host));
}

function listen(): void {
  keepApart();
  for (const type of ['toggle', 'focusin', 'fullscreenchange']) addEventListener(type, follow, true);
}

function start(): void {
  const definedElement = customElements.get(HOST_NAME) as typeof GuideElement | undefined;
  if (definedElement) return void definedElement.restart(script);
  customElements.define(HOST_NAME, GuideElement);
  customElements.define(SEARCH_NAME, SearchElement);
  listen();
  begin();
}

/** Reports that there are no settings, unless the page has created its own element by then. */
function reportMissingSettings(): void {
  setTimeout(() => {
    if (!document.querySelector(HOST_NAME))
      say('The guide does not start: there is no data-gp-app, no ?app=.');
  }, 2000);
}

/** Moves the guide to where it is not inert, and above a popover that has just opened. */
function follow(event: Event): void {
  if (!ownHost?.isConnected) return;
  const path = event.composedPath() as HTMLElement[];
  place(ownHost, path.filter(isModal)[0]);
  if (path[0]?.matches?.(':popover-open')) rise(ownHost);
}

function begin(): void {
  const app = readSetting('app');
  const api = readSetting('api');
  // The page may create its own element.
  if (app === undefined && api === undefined) return void whenIdle(reportMissingSettings);
  const host = document.createElement(HOST_NAME);
  host.setAttribute('app', app ?? '');
  // Only a script tag with attributes must name the service: otherwise it is where the script is.
  host.setAttribute(
    'api',
    api ?? (script?.src && !script.dataset.gpApp ? new URL('.', script.src).href : ''),
  );
  for (const name of ['boot', 'theme', 'position', 'launcher', 'target', 'user']) {
    const value = readSetting(name);
    if (value) host.setAttribute(name, value);
  }
  ownHost = host;
  whenParsed(host);
}

void safely(start);
