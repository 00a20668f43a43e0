import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import type { CaptureContext, ViewportScreenshot } from '../../contract/chat.ts';
import { type OwnBrowser, openBrowser } from '../fixtures/browser.ts';

export type PageCapture = { readonly domDigest: string; readonly captureContext: CaptureContext };

/** Pages without a service, with the functions that read them. */
export type ReadingSite = {
  /** A page with this body, and those functions as `gp`. */
  readonly open: (body: string) => Promise<Page>;
  readonly close: () => Promise<void>;
};

const ENTRY = `
import { capturePage } from './capture.ts';
import { readPage } from './digest.ts';
import { takePicture } from './picture.ts';
import { findTarget } from './targets.ts';
globalThis.gp = {
  capture: (question = '', focused = null) => capturePage({ focused, question, locale: 'en' }),
  find: (gpId) => findTarget(gpId, () => readPage().candidates),
  takePicture,
};`;
const EMBED = fileURLToPath(new URL('../../client/embed/', import.meta.url));

export async function openReadingSite(): Promise<ReadingSite> {
  const [browser, script] = await Promise.all([openBrowser(), bundled()]);
  return { open: (body) => opened(browser, script, body), close: () => browser.close() };
}

async function opened(browser: OwnBrowser, script: string, body: string): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1000, height: 600 } });
  await page.route('http://page.test/', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<!doctype html><title>A page</title>${body}` }),
  );
  await page.goto('http://page.test/');
  await page.addScriptTag({ content: script });
  return page;
}

async function bundled(): Promise<string> {
  const entry = `${EMBED}reading-entry.ts`;
  const bundle = await rolldown({
    input: entry,
    logLevel: 'silent',
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === entry ? id : null),
        load: (id) => (id === entry ? ENTRY : null),
      },
    ],
  });
  const { output } = await bundle.generate({ format: 'iife' });
  await bundle.close();
  return output[0].code;
}

export const takeCapture = (page: Page, question = '') =>
  page.evaluate(`gp.capture(${JSON.stringify(question)})`) as Promise<PageCapture>;

export const takeScreenshot = (page: Page) =>
  page.evaluate('gp.takePicture()') as Promise<ViewportScreenshot | undefined>;

/** The targets with this name, by rank. */
export function targetsNamed({ captureContext }: PageCapture, name: string) {
  return (captureContext.targets ?? []).filter((target) => target.name === name);
}
