import { expect, it } from 'vitest';
import { listDocsFiles } from '../../server/http/pages.ts';

const assets = listDocsFiles();
const readAsset = async (path: string) => String(await assets.find((asset) => asset.path === path)!.read());

it('serves every file that the API page loads', async () => {
  const page = await readAsset('/docs');
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path);
  expect(loaded.sort()).toEqual(
    assets
      .map(({ path }) => path)
      .filter((path) => path !== '/docs')
      .sort(),
  );
  for (const asset of assets) expect((await asset.read()).length, asset.path).toBeGreaterThan(100);
});

it('contains no inline script, as its content security policy requires', async () => {
  const page = await readAsset('/docs');
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son[a-z]+=|javascript:/i);
  expect(assets[0]!.contentSecurityPolicy).toContain("script-src 'self';");
});

it('loads the published document and sends requests to the server that served the page', async () => {
  const initializer = await readAsset('/docs/initializer.js');
  expect(initializer).toContain("fetch('/openapi.json')");
  expect(initializer).toContain('location.origin');
});
