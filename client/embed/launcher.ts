import type { BootReply } from '../../generated/types.ts';
import { wear } from './branding.ts';
import type { Load } from './chunks.ts';
import type { Emit } from './conversation.ts';
import { button } from './element.ts';
import { firstBoot, isBlocked } from './first-boot.ts';
import type * as installErrors from './install-errors.ts';
import { acceptLanguageOf, preferredOf, type Speech, speechIn } from './language.ts';
import { LAUNCHER_STYLE } from './launcher-style.ts';
import type * as panelPiece from './panel.ts';
import type { GuidepostContext } from './public-api.ts';
import { type Complaint, readSettings, type Settings } from './settings.ts';
import type { Texts } from './texts.ts';
import { nextTask } from './yield.ts';

export type LauncherDeps = {
  readonly host: HTMLElement;
  readonly load: Load;
  readonly emit: Emit;
  /** What the page has said of itself. */
  readonly context: () => GuidepostContext | undefined;
  /** The language that the script tag says that the visitor chose. */
  readonly chosenLanguage: () => string | undefined;
  /** Called when the attributes name no service or no app. */
  readonly onWrong: () => void;
};

export type Launcher = {
  /** `before` had the focus when it was called. */
  readonly open: (question: unknown, before: Element | null) => void;
  readonly ask: (question: unknown, before: Element | null) => void;
  readonly close: () => void;
  /** The language of the visitor has changed. */
  readonly label: () => void;
  readonly end: () => void;
};

type Piece = { readonly panel: typeof panelPiece; readonly texts: { readonly texts: Texts } };

/** Puts the button onto the page that opens the guide, and the panel once it is opened. */
export function openLauncher(deps: LauncherDeps): Launcher {
  const { host, load, emit, context, chosenLanguage, onWrong } = deps;
  // An element that was taken away and put back has one.
  const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
  const aside = document.createElement('aside');
  const launcher = button('', { class: 'launcher', icon: 'signpost' }, () => open(document.activeElement));
  const leaving = new AbortController();
  let settings: Settings | undefined;
  let booted: BootReply | undefined;
  let bootedIn: string | undefined;
  let fetched: Promise<Piece> | undefined;
  let panel: Promise<panelPiece.Panel> | undefined;
  let openedBy: Element | null = null;
  let isOpen = false;
  /** Where it is not, visitors shall not meet a button that does nothing. */
  let isHere = false;
  launcher.setAttribute('aria-haspopup', 'dialog');

  function languages(): readonly string[] {
    const chosen = host.lang || chosenLanguage();
    return preferredOf(chosen, document.documentElement.lang, navigator.languages ?? []);
  }

  function label(): Speech {
    const speech = speechIn(languages());
    aside.lang = speech.locale;
    aside.dir = speech.direction;
    aside.setAttribute('aria-label', speech.guide);
    launcher.setAttribute('aria-label', speech.open);
    launcher.title = speech.open;
    return speech;
  }

  /** Browsers send their own languages; only a choice made on the page is put before them. */
  function acceptLanguage(): string | undefined {
    const wanted = languages();
    return wanted[0] === navigator.languages?.[0] ? undefined : acceptLanguageOf(wanted);
  }

  function draw(): void {
    launcher.hidden = isOpen || !isHere;
  }

  /** Says for whoever made the page what is wrong; visitors see it from the panel. */
  function complain(complaint: Complaint): void {
    emit('error', { code: complaint.code });
    explain(complaint).catch((error) =>
      console.error(`Guidepost: The guide could not start: ${complaint.code}.`, error),
    );
  }

  async function explain(complaint: Complaint): Promise<void> {
    const blocked = complaint.code === 'network' && settings && (await isBlocked(settings));
    const told = { ...settings, ...complaint, ...(blocked ? { code: 'blocked' } : {}) };
    const { sentenceOf } = await load<typeof installErrors>('install-errors');
    console.error(`Guidepost: ${sentenceOf(told)}`);
  }

  /** An element may get its attributes after it came onto the page, so that each call tries. */
  function start(): void {
    if (settings || leaving.signal.aborted) return;
    const found = readSettings(host);
    if ('code' in found) {
      complain(found);
      onWrong();
      return;
    }
    settings = found;
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(LAUNCHER_STYLE);
    shadow.adoptedStyleSheets = [sheet];
    aside.append(launcher);
    shadow.append(aside);
    label();
    // Who comes near it will likely open it.
    for (const type of ['pointerenter', 'focus']) launcher.addEventListener(type, () => void fetchPieces());
    isHere = host.getAttribute('boot') === 'open';
    draw();
    if (!isHere) tryBoot();
  }

  function tryBoot(): void {
    boot().catch(() => complain({ code: 'protocol' }));
  }

  /** Asks whether and how the guide is here. */
  async function boot(): Promise<void> {
    if (isOpen || !settings || leaving.signal.aborted) return;
    bootedIn = acceptLanguage();
    const reply = await firstBoot(settings, bootedIn);
    if (leaving.signal.aborted) return;
    if ('code' in reply) {
      // Too many for now, but not for later: the panel boots again when it is opened.
      if (reply.code === 'rate_limit/exceeded') isHere = true;
      draw();
      if (!navigator.onLine) addEventListener('online', tryBoot, { once: true, signal: leaving.signal });
      else complain(reply);
      return;
    }
    if (!reply.jwt || !reply.features.chat) return complain({ code: reply.jwt ? 'chat_off' : 'bot' });
    booted = reply;
    wear(aside, reply.config.branding);
    label();
    isHere = true;
    draw();
  }

  function fetchPieces(): Promise<Piece> {
    fetched ??= Promise.all([
      load<typeof panelPiece>('panel'),
      load<{ readonly texts: Texts }>(label().file),
    ]).then(([panel, texts]) => ({ panel, texts }));
    fetched.catch(() => {
      fetched = undefined;
    });
    return fetched;
  }

  async function build(): Promise<panelPiece.Panel> {
    const { locale, direction } = label();
    const { panel, texts } = await fetchPieces();
    await nextTask();
    const built = panel.buildPanel({
      shadow,
      aside,
      settings: settings!,
      acceptLanguage: acceptLanguage(),
      wording: { locale, direction, ...texts },
      booted: bootedIn === acceptLanguage() ? booted : undefined,
      context,
      emit: (event, detail) => {
        // Whoever can ask or decide here has been let in by now, also where the first boot failed.
        if (event !== 'error') isHere = true;
        emit(event, detail);
      },
      load,
      onClose: close,
      complain,
    });
    await nextTask();
    return built;
  }

  async function show(before: Element | null, then: (panel: panelPiece.Panel) => void): Promise<void> {
    const wasOpen = isOpen;
    if (!wasOpen) openedBy = before === host ? null : before;
    isOpen = true;
    launcher.setAttribute('aria-busy', 'true');
    panel ??= build();
    const opened = await panel.catch((error) => {
      panel = undefined;
      isOpen = false;
      draw();
      complain({ code: 'piece' });
      if (!(error instanceof TypeError)) console.error(error);
    });
    launcher.removeAttribute('aria-busy');
    if (!opened || !isOpen) return;
    draw();
    if (!wasOpen) {
      opened.open(openedBy);
      emit('open', {});
    }
    then(opened);
  }

  function open(before: Element | null, then: (panel: panelPiece.Panel) => void = () => {}): void {
    start();
    if (settings) void show(before, then);
  }

  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    draw();
    whenBuilt((opened) => {
      const { activeElement } = shadow;
      opened.close();
      if (activeElement) giveFocusBack();
    });
    emit('close', {});
  }

  /** What opened it may be gone by now, or be nothing that takes the focus. */
  function giveFocusBack(): void {
    (openedBy as HTMLElement | null)?.focus?.({ preventScroll: true });
    if (!openedBy?.matches(':focus')) launcher.focus();
  }

  /** A panel that could not be built has been complained about already. */
  function whenBuilt(work: (panel: panelPiece.Panel) => void): void {
    panel?.then(work, () => {});
  }

  start();
  return {
    open: (question, before) => open(before, (panel) => panel.fill(textOf(question))),
    ask: (question, before) => open(before, (panel) => panel.ask(textOf(question))),
    close,
    label,
    end: () => {
      leaving.abort();
      isOpen = false;
      whenBuilt((opened) => opened.end());
      aside.remove();
    },
  };
}

/** A handler that is given as it is is called with an event. */
const textOf = (question: unknown) => (typeof question === 'string' ? question : '');
