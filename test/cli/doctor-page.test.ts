import { mkdirSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../../server/base/ids.ts';
import { cli, dataDir, inStore, setUpInstallation } from '../support/command-line.ts';
import { SETTINGS } from '../support/seeds.ts';
import { type Reply, serveWebsite } from '../support/website.ts';

setUpInstallation({ SOURCE_NETWORKS: '127.0.0.0/8' });

const APP_ID = 'gp_shop1234';

/** Examines a page whose script tag leads to the same server; returns the status and message of each check. */
async function examine(
  page: (origin: string) => Reply,
  { script = {}, isAllowed = true }: { script?: Record<string, string>; isAllowed?: boolean } = {},
): Promise<Record<string, string>> {
  let origin = '';
  const website = await serveWebsite((path) => {
    if (path.startsWith('/guide.js'))
      return { headers: { 'content-type': 'text/javascript', ...script }, body: '1' };
    const { headers, ...reply } = page(origin);
    return { headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, ...reply };
  });
  ({ origin } = website);
  await inStore((store) =>
    store.workspaces.create({
      id: newId('ws'),
      appId: APP_ID,
      name: 'Shop',
      settings: { ...SETTINGS, allowedOrigins: isAllowed ? [origin] : ['https://elsewhere.example'] },
      createdAt: Date.now(),
    }),
  );
  const { stdout } = await cli.runInProcess(['doctor', '--json', '--page', `${origin}/`]);
  const { findings } = JSON.parse(stdout) as {
    findings: { check: string; status: string; message: string }[];
  };
  return Object.fromEntries(findings.map(({ check, status, message }) => [check, `${status}: ${message}`]));
}

const tag = (origin: string) =>
  `<script src="${origin}/guide.js" data-gp-app="${APP_ID}" data-gp-api="${origin}" async></script>`;

describe('guidepost doctor --page', () => {
  beforeEach(() => mkdirSync(dataDir, { mode: 0o700 }));

  it('finds nothing wrong with a page that has the tag on an allowed domain', async () => {
    const found = await examine((origin) => ({ body: tag(origin) }));
    expect(Object.keys(found)).toEqual(['page', 'tag', 'policy', 'script', 'origin']);
    for (const finding of Object.values(found)) expect(finding).toMatch(/^ok/);
  });

  it('reports a policy, an embedder policy and an origin that hinder the guide', async () => {
    const found = await examine(
      (origin) => ({
        body: tag(origin.replace('127.0.0.1', 'localhost')),
        headers: {
          'content-security-policy': "script-src 'self'; connect-src 'self' https://*.example.com",
          'cross-origin-embedder-policy': 'require-corp',
        },
      }),
      { isAllowed: false },
    );
    expect(found.policy).toMatch(
      /^problem: .*add script-src http:\/\/localhost:\d+; connect-src http:\/\/localhost/,
    );
    expect(found.script).toMatch(/^problem: .*require-corp/);
    expect(found.origin).toMatch(/^problem: .*workspace set ws_\w+ --domain http:\/\/127/);
  });

  it('accepts a script with the nonce of the policy, and settings in the address', async () => {
    const found = await examine((origin) => ({
      body: `<meta http-equiv="Content-Security-Policy" content="script-src 'nonce-abc' 'strict-dynamic'">
        <script nonce="abc" src="/guide.js?app=${APP_ID}"></script>`,
      headers: {
        'content-security-policy': `default-src 'none'; script-src 'nonce-abc'; connect-src ${origin}`,
      },
    }));
    expect(found.policy).toMatch(/^ok/);
    expect(found.origin).toMatch(/^ok/);
  });

  it.each([
    ['has no tag', '<h1>Shop</h1>', /^problem: The page has no script tag/],
    [
      'has a tag manager',
      '<script src="https://www.googletagmanager.com/gtm.js?id=GTM-1"></script>',
      /^warning: .*tag manager/,
    ],
    [
      'holds the script back',
      `<script type="text/plain" data-src="/guide.js" data-gp-app="${APP_ID}" data-gp-api="/"></script>`,
      /^warning: .*holds the script back|^ok/,
    ],
    [
      'names no service',
      `<script src="/guide.js" data-gp-app="${APP_ID}"></script>`,
      /^problem: .*no data-gp-api/,
    ],
  ])('reports a page that %s', async (_what, body, message) => {
    expect((await examine(() => ({ body }))).tag).toMatch(message);
  });

  it('says that the domains were not compared where there is no database', async () => {
    const body = `<script type="text/plain" data-src="/guide.js" data-gp-app="${APP_ID}" data-gp-api="/"></script>`;
    const { origin } = await serveWebsite(() => ({ headers: { 'content-type': 'text/html' }, body }));
    const { stdout } = await cli.runInProcess(['doctor', '--json', '--page', `${origin}/`]);
    expect(JSON.parse(stdout).findings).toContainEqual(
      expect.objectContaining({ check: 'origin', status: 'warning' }),
    );
  });

  it('refuses an address inside of a private network that is not allowed', async () => {
    const { stdout } = await cli.runInProcess(['doctor', '--json', '--page', 'http://10.0.0.1/']);
    expect(JSON.parse(stdout).findings).toMatchObject([
      { check: 'page', message: expect.stringContaining('private_address') },
    ]);
  });
});
