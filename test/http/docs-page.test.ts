import { expect, it } from 'vitest';
import { docsAssets } from '../../server/http/docs-page.ts';

const assets = docsAssets();
const textOf = async (path: string) => String(await assets.find((asset) => asset.path === path)!.read());

it('serves every file that the page of the interface asks for', async () => {
  const page = await textOf('/docs');
  const asked = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  expect(asked.sort()).toEqual(
    assets
      .map(({ path }) => path)
      .filter((path) => path !== '/docs')
      .sort(),
  );
  for (const asset of assets) expect((await asset.read()).length, asset.path).toBeGreaterThan(100);
});

it('contains no inline script, as its content security policy requires', async () => {
  const page = await textOf('/docs');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:/i);
  expect(assets[0]!.contentSecurityPolicy).toContain("script-src 'self';");
});

it('reads the published interface and tries it on the server that the page came from', async () => {
  const initializer = await textOf('/docs/initializer.js');
  expect(initializer).toContain("fetch('/openapi.json')");
  expect(initializer).toContain('location.origin');
});
