import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { aServiceForEach, harness } from './pages-site.ts';

aServiceForEach();

const BUILT = new URL('../../dist/dashboard/', import.meta.url);

describe('GET /dashboard', () => {
  it.each(['/dashboard', '/dashboard/setup', '/dashboard/invitation', '/dashboard/w/anything/articles'])(
    'is guarded and loads only built assets: %s',
    async (path) => {
      const { status, headers, body } = await fetch(`${harness.baseUrl}${path}`).then(async (answer) => ({
        status: answer.status,
        headers: answer.headers,
        body: await answer.text(),
      }));
      expect(status).toBe(200);
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(body).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son[a-z]+=/i);
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
      for (const [, asset] of body.matchAll(/(?:src|href)="([^"]+\.(?:js|css))"/g)) {
        const file = await fetch(new URL(asset!, `${harness.baseUrl}${path}`), {
          headers: { 'accept-encoding': 'br' },
        });
        expect(file.status, asset).toBe(200);
        expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        expect(file.headers.get('content-encoding')).toBe('br');
        await file.bytes();
      }
    },
  );

  it.each(['nothing.js', '..%2fmanifest.json', 'manifest.json', '%2e%2e%2f%2e%2e%2fguidepost.js'])(
    'does not serve files outside of the build: %s',
    async (name) => {
      const { status } = await fetch(`${harness.baseUrl}/dashboard/assets/${name}`);
      expect(status).toBe(404);
    },
  );

  it('keeps the first page under 260 KB and each further route under 100 KB', async () => {
    const manifest = JSON.parse(await readFile(new URL('manifest.json', BUILT), 'utf8')) as Manifest;
    const sizes = new Map<string, number>();
    for (const name of Object.values(manifest).flatMap(({ file, css = [] }) => [file, ...css])) {
      sizes.set(name, gzipSync(await readFile(new URL(name, BUILT))).length);
    }
    const weigh = (names: Iterable<string>) =>
      [...names].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
    const [entry] = Object.keys(manifest).filter((name) => manifest[name]!.isEntry);
    const shell = neededBy(manifest, [entry!, 'locales/de.ts', 'theme-controls.css']);
    const firsts = [
      ['routes/overview.tsx', 'shell.tsx'],
      ['routes/sign-in.tsx', 'theme-controls.css'],
      ['routes/setup.tsx', 'theme-controls.css'],
      ['routes/invitation.tsx', 'theme-controls.css'],
    ];
    const routes = Object.keys(manifest).filter((name) => name.startsWith('routes/'));
    expect(routes.length).toBeGreaterThan(20);
    for (const first of firsts) {
      const loaded = neededBy(manifest, [entry!, 'locales/de.ts', ...first]);
      expect(weigh(loaded), first[0]).toBeLessThan(260 * 1024);
    }
    for (const route of routes) {
      const further = [...neededBy(manifest, [route])].filter((name) => !shell.has(name));
      expect(weigh(further), route).toBeLessThan(100 * 1024);
    }
  });
});

type Manifest = Record<
  string,
  { readonly file: string; readonly css?: string[]; readonly imports?: string[]; readonly isEntry?: boolean }
>;

/** The files of these sources and of their static imports. */
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
