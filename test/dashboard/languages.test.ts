import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../client/dashboard/catalogs.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';

const PATHS = ['', '/articles/new', '/inbox', '/analytics', '/audit', '/settings', '/settings/members'];
const PHONE = { width: 390, height: 844 };
/** Matches names from the test's workspace and of laws, which are the same in every language. */
const NAMES = /@|shop|Guidepost|UTC|^\p{Lu}+$|^\//u;

describe('the dashboard in each language', () => {
  let site: AppSite;
  const english = new Map<string, readonly string[]>();
  beforeAll(async () => {
    site = await openAppSite({ articles: [] });
    const { page, go } = await site.open('owner', '', { viewport: PHONE });
    for (const path of PATHS) english.set(path, await readTexts(page, go, path));
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  it.each(LANGUAGES.filter((each) => each !== 'en'))(
    'fits a phone and has no English text: %s',
    async (language) => {
      const catalogTexts = new Set(
        listTexts(
          JSON.parse(
            await readFile(new URL(`../../languages/dashboard/${language}.json`, import.meta.url), 'utf8'),
          ),
        ),
      );
      const { page, go, pageErrors } = await site.open('owner', '', { locale: language, viewport: PHONE });
      for (const path of PATHS) {
        const texts = await readTexts(page, go, path);
        const same = texts.filter((text) => english.get(path)!.includes(text));
        const untranslated = same.filter(
          (text) =>
            /\p{L}{3}/u.test(text) &&
            !catalogTexts.has(text.replace(/\d+/g, '{number}')) &&
            !NAMES.test(text),
        );
        expect.soft([path, untranslated]).toEqual([path, []]);
        expect(await page.locator('html').getAttribute('lang')).toBe(language);
        expect
          .soft([path, await page.evaluate('document.documentElement.scrollWidth')])
          .toEqual([path, PHONE.width]);
      }
      expect(pageErrors).toEqual([]);
    },
  );
});

/** Returns the texts and labels of a page, without the names of countries, languages and time zones in its lists. */
async function readTexts(page: Page, go: (path: string) => Promise<void>, path: string): Promise<string[]> {
  await go(path);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.waitForLoadState('networkidle');
  return (await page.evaluate(`(() => {
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode())
      if (!walker.currentNode.parentElement.closest('option, [role=option], tbody, code, kbd, pre, noscript, script, style, #main [lang]'))
        texts.push(walker.currentNode.textContent.trim());
    for (const name of ['aria-label', 'placeholder', 'title', 'alt'])
      for (const element of document.querySelectorAll('[' + name + ']')) texts.push(element.getAttribute(name));
    return texts;
  })()`)) as string[];
}

type Texts = { [key: string]: string | Texts };

function listTexts(texts: Texts): string[] {
  return Object.values(texts).flatMap((text) => (typeof text === 'string' ? [text] : listTexts(text)));
}
