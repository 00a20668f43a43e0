import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { dashboardPages } from '../../server/http/dashboard-pages.ts';
import { aServiceForEach, harness } from '../accounts/following.ts';

aServiceForEach();

const BUILT = new URL('../../dist/dashboard/', import.meta.url);

describe('the pages', () => {
  it.each(['/dashboard/setup', '/dashboard/invitation'])('are guarded: %s', async (path) => {
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
    const files = dashboardPages(BUILT);
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

  it.each(['/dashboard', '/dashboard/w/anything/articles'])(
    'are one page whatever is asked for: %s',
    async (path) => {
      const { status, headers, body } = await fetch(`${harness.baseUrl}${path}`).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        body: await answer.text(),
      }));
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      const [, nonce] = /<meta property="csp-nonce" nonce="([^"]+)">/.exec(body)!;
      expect(headers.get('content-security-policy')!.split('; ').sort()).toEqual([
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "script-src 'self'",
        `style-src 'self' 'nonce-${nonce}'`,
      ]);
      for (const [, asked] of body.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)) {
        const file = await fetch(new URL(asked!, `${harness.baseUrl}${path}`), {
          headers: { 'accept-encoding': 'br' },
        });
        expect(file.status, asked).toBe(200);
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(file.headers.get('content-encoding')).toBe('br');
        await file.bytes();
      }
    },
  );

  it.each(['nothing.js', '..%2fmanifest.json', 'manifest.json', '%2e%2e%2f%2e%2e%2fguidepost.js'])(
    'serve no file that the build did not name: %s',
    async (name) => {
      const { status } = await fetch(`${harness.baseUrl}/dashboard/assets/${name}`);
      expect(status).toBe(404);
    },
  );

  it('load in less than 250 KB, and each further page in less than 100', async () => {
    const manifest = JSON.parse(await readFile(new URL('manifest.json', BUILT), 'utf8')) as Manifest;
    const sizes = new Map<string, number>();
    for (const name of Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css])) {
      sizes.set(name, gzipSync(await readFile(new URL(name, BUILT))).length);
    }
    const weigh = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    const [entry] = Object.keys(manifest).filter((name) => manifest[name]!.isEntry);
    const shell = neededBy(manifest, [entry!, 'messages/de.ts', 'page-styles.css']);
    const firsts = [
      ['pages/overview/overview.tsx', 'shell/shell.tsx'],
      ['pages/sign-in.tsx', 'page-styles.css'],
    ];
    const pages = Object.keys(manifest).filter((name) => name.startsWith('pages/'));
    expect(pages.length).toBeGreaterThan(20);
    for (const first of firsts) {
      const loaded = neededBy(manifest, [entry!, 'messages/de.ts', ...first]);
      expect(weigh(loaded), first[0]).toBeLessThan(250 * 1024);
    }
    for (const page of pages) {
      const further = [...neededBy(manifest, [page])].filter((name) => !shell.has(name));
      expect(weigh(further), page).toBeLessThan(100 * 1024);
    }
  });
});

type Manifest = Record<
  string,
  { readonly file: string; readonly css?: string[]; readonly imports?: string[]; readonly isEntry?: boolean }
>;

/** The files that these sources bring, with everything that they import at once. */
function neededBy(manifest: Manifest, sources: readonly string[]): Set<string> {
  const files = new Set<string>();
  const seen = new Set<string>();
  const visit = (source: string) => {
    if (seen.has(source)) return;
    seen.add(source);
    const { file, css = [], imports = [] } = manifest[source]!;
    for (const name of [file, ...css]) files.add(name);
    for (const each of imports) visit(each);
  };
  for (const source of sources) visit(source);
  return files;
}
