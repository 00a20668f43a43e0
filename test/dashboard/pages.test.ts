import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dashboardPages } from '../../server/http/dashboard-pages.ts';
import { follow, harness, heading, site } from './following.ts';
import { expectAccessible } from './pages-site.ts';

describe('the pages', () => {
  it.each(['/dashboard', '/dashboard/setup', '/dashboard/invitation'])('are guarded: %s', async (path) => {
    const { status, headers } = await fetch(`${harness.baseUrl}${path}`);
    expect(status).toBe(200);
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('content-security-policy')!.split('; ').sort()).toEqual([
      "base-uri 'none'",
      "connect-src 'self'",
      "default-src 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "script-src 'self'",
      "style-src 'self'",
    ]);
  });

  it('hold no script and no style, and ask for files that are there', async () => {
    const files = dashboardPages(pathToFileURL(`${site.folder}/`));
    for (const file of files) expect((await file.read()).length, file.path).toBeGreaterThan(100);
    for (const file of files.filter(({ contentType }) => contentType.startsWith('text/html'))) {
      const text = String(await file.read());
      expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/i);
      for (const [, asked] of text.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)) {
        const { pathname } = new URL(asked!, `https://guide.example${file.path}`);
        expect(files.map(({ path }) => path)).toContain(pathname);
      }
    }
  });

  it('say at /dashboard what there is and what there is not', async () => {
    const { page, complaints } = await follow(`${harness.baseUrl}/dashboard`);
    await heading(page, 'The dashboard is not part of this version yet');
    expect(await page.getByRole('link', { name: 'API' }).getAttribute('href')).toBe('docs');
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
