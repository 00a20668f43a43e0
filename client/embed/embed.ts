import { button } from './element.ts';
import { buildPanel, type Panel } from './panel.ts';
import { HOST_NAME } from './readable.ts';
import { readSettings, type Settings } from './settings.ts';
import { STYLE } from './style.ts';
import { wordingFor } from './texts.ts';

declare global {
  interface Window {
    Guidepost?: GuidepostOnPage;
  }
}

/** What the script adds to a page. */
export type GuidepostOnPage = {
  /** Opens the panel; a question is written into it for the visitor to send. */
  open(question?: string): void;
  close(): void;
};

const say = (sentence: string) => console.error(`Guidepost: ${sentence}`);

/** Puts the launcher on the page. Whatever goes wrong is said on the console and never thrown into the page. */
function install(settings: Settings): GuidepostOnPage {
  const host = document.createElement(HOST_NAME);
  const shadow = host.attachShadow({ mode: 'open' });
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  shadow.adoptedStyleSheets = [sheet];
  const aside = document.createElement('aside');
  const launcher = button('', { class: 'launcher', icon: 'signpost', label: ' ' }, () => onPage.open());
  launcher.setAttribute('aria-haspopup', 'dialog');
  aside.append(launcher);
  shadow.append(aside);
  let panel: Panel | undefined;
  label();
  // By then the other scripts of the page have said which language was chosen.
  addEventListener('load', safely(label));
  document.body.append(host);

  function languages(): readonly string[] {
    const chosen = settings.chosenLanguage();
    const preferred = [...(navigator.languages ?? []), document.documentElement.lang];
    return [...new Set([...(chosen ? [chosen] : []), ...preferred].filter(Boolean))];
  }

  function label(): void {
    const { texts, locale, direction } = wordingFor(languages());
    aside.lang = locale;
    aside.dir = direction;
    aside.setAttribute('aria-label', texts.guide);
    launcher.setAttribute('aria-label', texts.open);
    launcher.title = texts.open;
  }

  function firstPanel(): Panel {
    label();
    const built = buildPanel({
      settings,
      languages: languages(),
      wording: wordingFor(languages()),
      onClose: () => onPage.close(),
      complain: say,
    });
    aside.append(built.root);
    return built;
  }

  const onPage: GuidepostOnPage = {
    open: safely((question) => {
      const before = document.activeElement === host ? null : document.activeElement;
      panel ??= firstPanel();
      launcher.hidden = true;
      panel.open(before, typeof question === 'string' ? question : undefined);
    }),
    close: safely(() => {
      if (launcher.hidden === false) return;
      panel?.close();
      launcher.hidden = false;
      launcher.focus();
    }),
  };
  return onPage;
}

function safely<A extends unknown[]>(work: (...given: A) => void): (...given: A) => void {
  return (...given) => {
    try {
      work(...given);
    } catch (error) {
      say(`Something went wrong in the guide: ${error}`);
    }
  };
}

/** Reads the script tag and installs the guide as soon as there is a body to put it into. */
function start(script: Element | null): void {
  const settings = readSettings(script);
  if (window.Guidepost) say('The script is on this page twice; the second one does nothing.');
  else if ('complaint' in settings) say(settings.complaint);
  else
    whenThereIsABody(() => {
      window.Guidepost ??= install(settings);
    });
}

function whenThereIsABody(work: () => void): void {
  if (document.body) work();
  else document.addEventListener('DOMContentLoaded', safely(work));
}
safely(start)(
  document.currentScript ?? document.querySelector<HTMLElement>('script[data-gp-app], script[data-gp-api]'),
);
