import sparticuz from '@sparticuz/chromium';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** What a test file may do with a browser: what it opened is gone when it closes it. */
export type OwnBrowser = Pick<Browser, 'newContext' | 'newPage' | 'close'>;

/** Files of one process share what takes long to start; their contexts know nothing of each other. */
const running = new Map<string, Promise<Browser>>();

export async function openBrowser(flags: readonly string[] = []): Promise<OwnBrowser> {
  const kind = flags.join(' ');
  const starting = running.get(kind) ?? launch(flags);
  running.set(kind, starting);
  const browser = await starting;
  const contexts: BrowserContext[] = [];
  const newContext = async (options?: BrowserContextOptions) => {
    const context = await browser.newContext(options);
    contexts.push(context);
    return context;
  };
  return {
    newContext,
    newPage: async (options) => (await newContext(options)).newPage(),
    close: async () => {
      for (const context of contexts.splice(0)) await context.close();
    },
  };
}

/** Ends what a program has started; of a test's process nothing is left anyway. */
export async function quitBrowsers(): Promise<void> {
  for (const browser of running.values()) await (await browser).close();
  running.clear();
}

/** Its usual flags switch off what tests are about: the Origin header and the borders between pages. */
const LESS_SAFE = ['--disable-web-security', '--allow-running-insecure-content', '--single-process'];
/** Nobody looks at the pages, and drawing them as a graphics card would takes a tenth of a test's time. */
const DRAWING = [
  '--use-gl=angle',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--ignore-gpu-blocklist',
];
const UNWANTED = new Set([...LESS_SAFE, ...DRAWING, '--no-zygote']);

async function launch(flags: readonly string[]): Promise<Browser> {
  const usual = sparticuz.args.filter((flag) => !UNWANTED.has(flag));
  return chromium.launch({
    executablePath: await sparticuz.executablePath(),
    args: [...usual, '--disable-gpu', '--disable-software-rasterizer', ...flags],
  });
}
