import type { BootReply } from '../../generated/types.ts';
import { type InstallError, readSettings, type Settings, sendFirstBoot } from './boot.ts';
import type * as brandChunk from './brand.ts';
import { type LoadChunk, yieldToPage } from './chunks.ts';
import type { Emit } from './conversation.ts';
import { icon, setLabel } from './element.ts';
import { SEARCH_NAME } from './host-name.ts';
import { BUBBLE } from './icons.ts';
import type * as installErrors from './install-errors.ts';
import {
  buildAcceptLanguage,
  type LauncherLanguage,
  type LauncherTexts,
  type Localization,
  listLanguages,
  selectLanguage,
} from './language.ts';
import type * as pagePartsChunk from './page-parts.ts';
import type * as panelChunk from './panel.ts';
import type * as pathsChunk from './paths.ts';
import type { GuideElement, GuidepostContext } from './public-api.ts';
import { applyBranding, LAUNCHER_STYLE } from './style.ts';

export type LauncherDeps = {
  host: GuideElement;
  load: LoadChunk;
  emit: Emit;
  /** The context that the page has set. */
  context: () => GuidepostContext | undefined;
  /** The visitor's language, as the script tag states it. */
  chosenLanguage: () => string | undefined;
  /** The browser's `fetch`, if no other script had replaced it before. Replaced when it does not work. */
  fetch: typeof globalThis.fetch;
  /** Called when the attributes are invalid. */
  onInvalid: () => void;
};

type PanelFiles = { panel: typeof panelChunk; texts: Pick<Localization, 'texts' | 'wording'> };

/** The button that opens the guide. Loads the panel when it is first opened. */
export class Launcher {
  readonly #deps: LauncherDeps;
  readonly #shadow: ShadowRoot;
  readonly #aside = document.createElement('aside');
  readonly #button = document.createElement('button');
  readonly #leaving = new AbortController();
  #settings: Settings | undefined;
  #booted: BootReply | undefined;
  /** The newest boot reply, whose path rules apply. */
  #mountedBy: BootReply | undefined;
  #mount: pathsChunk.PageMount | undefined;
  /** Present where the workspace has path rules. */
  #paths: typeof pathsChunk | undefined;
  #bootLanguage: string | undefined;
  #files: Promise<PanelFiles> | undefined;
  #panel: Promise<panelChunk.Panel> | undefined;
  #isOpen = false;
  /** Hides the button until a boot has shown that the guide works here. */
  #isAvailable = false;
  /** A path rule hides the button on this page. */
  #isHidden = false;
  /** The panel has opened by itself on this page, and the visitor has not closed it. */
  #openedByItself = false;
  #dismissed = false;

  constructor(deps: LauncherDeps) {
    this.#deps = deps;
    // An element that was removed and inserted again has a shadow root.
    this.#shadow = deps.host.shadowRoot ?? deps.host.attachShadow({ mode: 'open' });
    this.#button.type = 'button';
    this.#button.className = 'launcher';
    this.#button.setAttribute('part', 'launcher');
    this.#button.setAttribute('aria-haspopup', 'dialog');
    this.#button.append(icon(BUBBLE));
    this.#button.addEventListener('click', () => this.#openPanel(document.activeElement));
    this.#start();
  }

  /** Opens the panel. `focusedBefore` had the focus when the page called. */
  open(question: unknown, focusedBefore: Element | null): void {
    if (question === 'search') return void this.#search();
    this.#openPanel(focusedBefore, (panel) => panel.fill(question));
  }

  ask(question: unknown, focusedBefore: Element | null): void {
    this.#openPanel(focusedBefore, (panel) => panel.ask(question));
  }

  close(): void {
    if (!this.#isOpen || this.#deps.host.hasAttribute('inline')) return;
    this.#isOpen = false;
    if (this.#openedByItself) this.#keepDismissed();
    this.#updateButton();
    this.#whenBuilt((panel) => panel.close());
    this.#deps.emit('close', {});
  }

  /** Follows changes of the page: of its language, and of the buttons that open the search. */
  update(): void {
    this.updateLanguage();
    this.#updateButton();
  }

  /** Labels the launcher in the visitor's language, which may have changed. */
  updateLanguage(): LauncherLanguage {
    const language = selectLanguage(this.#listLanguages());
    this.#aside.lang = language.locale;
    this.#aside.dir = language.direction;
    void this.#updateLabels(language);
    return language;
  }

  /** The texts arrive while the guide boots. They are a file of their own, because a visitor needs one language. */
  async #updateLabels({ file, locale }: LauncherLanguage): Promise<void> {
    const labels = await this.#deps.load<{ texts: LauncherTexts }>(`${file}-launcher`).catch(() => undefined);
    // The language may have changed meanwhile.
    if (!labels || this.#aside.lang !== locale) return;
    this.#aside.setAttribute('aria-label', labels.texts.guide);
    setLabel(this.#button, labels.texts.open);
  }

  end(): void {
    this.#leaving.abort();
    this.#isOpen = false;
    this.#whenBuilt((panel) => panel.end());
    this.#aside.remove();
  }

  #listLanguages(): readonly string[] {
    const chosen = this.#deps.host.lang || this.#deps.chosenLanguage();
    return listLanguages(chosen, document.documentElement.lang, navigator.languages ?? [navigator.language]);
  }

  /** Returns the languages to send; undefined when the browser sends the right ones by itself. */
  #getAcceptLanguage(): string | undefined {
    const languages = this.#listLanguages();
    return languages[0] === navigator.languages?.[0] ? undefined : buildAcceptLanguage(languages);
  }

  /** Shows the picture and the words that the workspace chose. */
  async #brand(branding: BootReply['config']['branding']): Promise<void> {
    if (!branding.icon && !branding.label) return;
    const chunk = await this.#deps.load<typeof brandChunk>('brand').catch(() => undefined);
    chunk?.brandLauncher(this.#button, branding, this.#settings!.apiUrl);
  }

  #updateButton(): void {
    this.#button.hidden =
      this.#isOpen || !this.#isAvailable || this.#isHidden || this.#deps.host.hasAttribute('launcher');
    if (this.#isAvailable) void this.#updateParts();
  }

  /** Serves what the page itself has placed: an element for the panel, and buttons that open the search. */
  async #updateParts(): Promise<void> {
    const { host, load } = this.#deps;
    if (!host.hasAttribute('target') && !document.querySelector(SEARCH_NAME)) return;
    const parts = await load<typeof pagePartsChunk>('page-parts').catch(() => undefined);
    parts?.updateParts({
      ...this.#deps,
      aside: this.#aside,
      language: this.updateLanguage(),
      signal: this.#leaving.signal,
      isHidden: this.#isHidden,
      show: () => this.#show(null, undefined, false),
    });
  }

  /** Applies the path rules, now and whenever the path changes. */
  async #followPath(reply: BootReply): Promise<void> {
    const isFirst = this.#mountedBy === undefined;
    const { mount } = reply.config;
    this.#mountedBy = reply;
    if (mount.rules.length === 0) return this.#applyMount(mount);
    this.#paths = await this.#deps.load<typeof pathsChunk>('paths').catch(() => undefined);
    const { signal } = this.#leaving;
    if (signal.aborted) return;
    const resolve = () => this.#paths?.resolveMount(this.#mountedBy!.config) ?? mount;
    this.#applyMount(resolve());
    if (!isFirst) return;
    this.#paths?.watchPath(() => {
      this.#applyMount(resolve());
      if (this.#isHidden) {
        this.#openedByItself = false;
        this.close();
      }
      if (this.#isOpen) this.#whenBuilt((panel) => panel.updateSuggestions());
    }, signal);
  }

  #applyMount(mount: pathsChunk.PageMount): void {
    this.#mount = mount;
    this.#isHidden = mount.mode === 'hidden';
    this.#updateButton();
    const { appId } = this.#settings!;
    if (mount.mode !== 'opened' || this.#isOpen || this.#dismissed) return;
    if (!this.#paths?.mayOpenByItself(this.#mountedBy!, appId)) return;
    this.#openedByItself = true;
    void this.#show(null, undefined, false);
  }

  #keepDismissed(): void {
    this.#openedByItself = false;
    this.#dismissed = true;
    if (this.#mountedBy?.features.persist_visitor) this.#paths?.keepClosed(this.#settings!.appId);
  }

  /** Explains an error on the console for the page's developer. Visitors see it in the panel. */
  #reportError(error: InstallError): void {
    this.#deps
      .load<typeof installErrors>('install-errors')
      .then((chunk) =>
        chunk.reportInstallError({ ...this.#settings, ...error }, this.#deps, () => this.#tryBoot()),
      )
      .catch((cause) => {
        this.#deps.emit('error', { code: error.code });
        console.error(`Guidepost: The guide could not start: ${error.code}.`, cause);
      });
  }

  /** Starts the guide once. Called on each use, because attributes may be set after the element is inserted. */
  #start(): void {
    if (this.#settings || this.#leaving.signal.aborted) return;
    const { host, onInvalid } = this.#deps;
    const settings = readSettings(host);
    if ('code' in settings) {
      this.#reportError(settings);
      onInvalid();
      return;
    }
    this.#settings = settings;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LAUNCHER_STYLE);
    this.#shadow.adoptedStyleSheets = [sheet];
    this.#aside.append(this.#button);
    this.#shadow.append(this.#aside);
    this.updateLanguage();
    addEventListener('click', (event) => this.#openByPage(event), { signal: this.#leaving.signal });
    // Prefetch when the visitor approaches the button.
    for (const type of ['pointerenter', 'focus'])
      this.#button.addEventListener(type, () => void this.#fetchFiles());
    this.#isAvailable = host.getAttribute('boot') === 'open';
    this.#updateButton();
    if (!this.#isAvailable) this.#tryBoot();
  }

  #tryBoot(): void {
    this.#boot().catch(() => this.#reportError({ code: 'protocol' }));
  }

  async #boot(): Promise<void> {
    const { signal } = this.#leaving;
    if (this.#isOpen || !this.#settings || signal.aborted) return;
    this.#bootLanguage = this.#getAcceptLanguage();
    const reply = await sendFirstBoot(this.#settings, this.#bootLanguage, this.#deps.fetch);
    if (signal.aborted) return;
    if ('code' in reply) {
      // The panel boots again when it is opened, which may be allowed by then.
      if (reply.code === 'rate_limit/exceeded') this.#isAvailable = true;
      this.#updateButton();
      if (!navigator.onLine) addEventListener('online', () => this.#tryBoot(), { once: true, signal });
      else this.#reportError(reply);
      return;
    }
    if (!reply.jwt || !reply.features.chat)
      return this.#reportError({ code: reply.jwt ? 'chat_off' : 'bot' });
    this.#booted = reply;
    applyBranding(this.#aside, this.#deps.host, reply.config.branding);
    await this.#brand(reply.config.branding);
    if (signal.aborted) return;
    this.updateLanguage();
    this.#isAvailable = true;
    await this.#followPath(reply);
  }

  #fetchFiles(): Promise<PanelFiles> {
    const { load } = this.#deps;
    this.#files ??= Promise.all([
      load<typeof panelChunk>('panel'),
      load<PanelFiles['texts']>(this.updateLanguage().file),
    ]).then(([panel, texts]) => ({ panel, texts }));
    this.#files.catch(() => {
      this.#files = undefined;
    });
    return this.#files;
  }

  async #build(): Promise<panelChunk.Panel> {
    const { locale, direction, file } = this.updateLanguage();
    const { panel, texts } = await this.#fetchFiles();
    await yieldToPage();
    const acceptLanguage = this.#getAcceptLanguage();
    const built = new panel.Panel({
      ...this.#deps,
      shadow: this.#shadow,
      aside: this.#aside,
      settings: this.#settings!,
      acceptLanguage,
      localization: { locale, direction, file, ...texts },
      booted: this.#bootLanguage === acceptLanguage ? this.#booted : undefined,
      emit: (event, detail) => {
        // Any event but an error shows that the guide works, even if the first boot failed.
        if (event !== 'error') this.#isAvailable = true;
        this.#deps.emit(event, detail);
      },
      onClose: () => this.close(),
      onBoot: (reply) => this.#followPath(reply),
      suggestions: () => this.#mount?.suggestions ?? [],
      reportError: (error) => this.#reportError(error),
    });
    await yieldToPage();
    return built;
  }

  /** Opens the panel from the page's own launcher, which may be a link that works without the guide. */
  #openByPage(event: MouseEvent): void {
    const selector = this.#deps.host.getAttribute('launcher');
    const target = event.target as Element | null;
    const opener = selector && this.#isAvailable && target?.closest?.(selector);
    if (!opener) return;
    event.preventDefault();
    this.#openPanel(opener);
  }

  #openPanel(focusedBefore: Element | null, onShown?: (panel: panelChunk.Panel) => void): void {
    this.#start();
    if (this.#settings) void this.#show(focusedBefore, onShown);
  }

  /** Returns nothing when the panel could not be built, and reports why. */
  async #getPanel(): Promise<panelChunk.Panel | undefined> {
    this.#panel ??= this.#build();
    return this.#panel.catch((error) => {
      this.#panel = undefined;
      this.#reportError({ code: 'chunk' });
      if (!(error instanceof TypeError)) console.error(error);
      return undefined;
    });
  }

  async #search(): Promise<void> {
    this.#start();
    if (this.#settings) (await this.#getPanel())?.search();
  }

  async #show(
    focusedBefore: Element | null,
    onShown?: (panel: panelChunk.Panel) => void,
    takesFocus = true,
  ): Promise<void> {
    const wasOpen = this.#isOpen;
    this.#isOpen = true;
    this.#button.removeAttribute('data-unread');
    this.updateLanguage();
    this.#button.setAttribute('aria-busy', 'true');
    const panel = await this.#getPanel();
    this.#button.removeAttribute('aria-busy');
    if (!panel) this.#isOpen = false;
    if (!panel || !this.#isOpen) return this.#updateButton();
    this.#updateButton();
    if (!wasOpen) {
      panel.open(focusedBefore, takesFocus);
      this.#deps.emit('open', {});
    }
    onShown?.(panel);
  }

  /** Does nothing when the panel could not be built, which has been reported already. */
  #whenBuilt(work: (panel: panelChunk.Panel) => void): void {
    this.#panel?.then(work, () => {});
  }
}
