import { Box, type MantineColorScheme } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import type { BootPreview } from '../../../generated/types.ts';
import { serviceUrl, useWorkspace } from '../session.ts';
import './guide-frame.css';
import { asAgreed, createGuideFetch, type GuideFetchDeps } from './guide-fetch.ts';

/** Not the id of a workspace: the demo page may keep a visitor of one in the same browser. */
const APP_ID = 'gp_preview';
/** Wider than the screens that the panel fills. */
const PAGE_PIXELS = 560;
const CHANGE_MILLIS = 250;
const CHECK_MILLIS = 40;

export type GuideView = 'inline' | 'opened' | 'shown';

type GuideFrameProps = Pick<GuideFetchDeps, 'boot' | 'ask'> & {
  title: string;
  /** `inline` fills the frame; `opened` and `shown` are the panel and the launcher on a page. */
  view: GuideView;
  theme: Exclude<MantineColorScheme, 'auto'>;
  /** The visitor's language. */
  locale: string;
  height: number;
};

/** The guide, by its own script tag, in a frame. Draws it anew when what it boots with changes, without taking the focus. */
export function GuideFrame({ title, boot, ask, view, theme, locale, height }: GuideFrameProps) {
  const { tenant } = useWorkspace();
  const latest = useRef({ ask, theme });
  latest.current = { ask, theme };
  const holder = useRef<HTMLDivElement>(null);
  const { ref: measured, width } = useElementSize<HTMLDivElement>();
  const box = useMergedRef(holder, measured);
  const shown = useRef<HTMLIFrameElement>(undefined);
  const drawnBoot = withView(asAgreed(boot), view);
  const key = JSON.stringify([drawnBoot, view, locale, title]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key contains all that the frame shows
  useEffect(() => {
    const leaving = new AbortController();
    const guideFetch = createGuideFetch({
      tenant,
      boot: drawnBoot,
      ask: (...question) => latest.current.ask(...question),
    });
    const timer = setTimeout(
      () =>
        void draw(
          holder.current,
          { fetch: guideFetch, view, locale, title, getTheme: () => latest.current.theme },
          shown,
          leaving.signal,
        ),
      shown.current ? CHANGE_MILLIS : 0,
    );
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [key]);
  // Keeps the conversation.
  useEffect(() => applyTheme(shown.current, theme), [theme]);
  const pageWidth = view === 'inline' ? width : PAGE_PIXELS;
  const scale = width > 0 ? Math.min(1, width / pageWidth) : 1;
  return (
    <Box
      ref={box}
      className="guide-frame"
      __vars={{
        '--frame-width': `${Math.max(pageWidth, width)}px`,
        '--frame-height': `${height}px`,
        '--frame-scale': String(scale),
        '--frame-box': `${height * scale}px`,
      }}
    />
  );
}

type Theme = GuideFrameProps['theme'];
type Drawn = Pick<GuideFrameProps, 'view' | 'locale' | 'title'> & {
  fetch: typeof fetch;
  getTheme: () => Theme;
};

/** Draws the guide in a new frame, which replaces the one before it once it is ready. */
async function draw(
  holder: HTMLElement | null,
  drawn: Drawn,
  shown: { current: HTMLIFrameElement | undefined },
  signal: AbortSignal,
): Promise<void> {
  if (!holder) return;
  const frame = document.createElement('iframe');
  frame.className = 'guide-page';
  frame.title = drawn.title;
  const loaded = new Promise((resolve) => frame.addEventListener('load', resolve, { once: true }));
  holder.append(frame);
  await loaded;
  openGuide(frame, drawn);
  const isReady = () =>
    frame.contentDocument
      ?.querySelector('guidepost-guide')
      ?.shadowRoot?.querySelector(
        drawn.view === 'shown' ? '.launcher:not([hidden])' : '.panel:not([hidden])',
      );
  while (!signal.aborted && !isReady()) await new Promise((resolve) => setTimeout(resolve, CHECK_MILLIS));
  if (signal.aborted) return frame.remove();
  applyTheme(frame, drawn.getTheme());
  shown.current?.remove();
  shown.current = frame;
  frame.dataset.shown = '';
}

/** Loads the script tag into the empty page of a frame, whose requests the dashboard answers. */
function openGuide(frame: HTMLIFrameElement, { fetch, view, locale, title }: Drawn): void {
  const { contentDocument: page, contentWindow } = frame;
  if (!page || !contentWindow) return;
  contentWindow.fetch = fetch;
  page.title = title;
  page.documentElement.lang = locale;
  const script = page.createElement('script');
  if (view === 'inline') {
    const main = page.createElement('main');
    main.id = 'guide';
    main.style.position = 'fixed';
    main.style.inset = '0';
    page.body.append(main);
    script.dataset.gpTarget = '#guide';
  }
  script.dataset.gpApp = APP_ID;
  script.dataset.gpApi = serviceUrl;
  script.dataset.gpLang = locale;
  script.src = `${serviceUrl}/guide.js`;
  page.head.append(script);
}

function applyTheme(frame: HTMLIFrameElement | undefined, theme: Theme): void {
  const page = frame?.contentDocument;
  if (!page) return;
  page.documentElement.style.colorScheme = theme;
  page.body.style.background = theme === 'dark' ? '#0d1016' : '#f6f7f9';
  page.querySelector('guidepost-guide')?.setAttribute('theme', theme);
}

/** Opens the panel by a path rule, which leaves the focus where it is. */
const withView = (boot: BootPreview, view: GuideView): BootPreview => {
  const mode = view === 'opened' ? 'opened' : 'shown';
  const rules = mode === 'opened' ? [{ pattern: '*', mode } as const] : [];
  return { ...boot, config: { ...boot.config, mount: { ...boot.config.mount, mode, rules } } };
};
