import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTeam, type Team } from '../accounts/team.ts';
import { type OwnBrowser, openBrowser } from '../fixtures/browser.ts';
import { join, PASSWORD } from './colleagues.ts';

const INDEX = fileURLToPath(new URL('../../client/sdk/index.ts', import.meta.url));

const PAGE =
  '<script type="module">import * as client from "/client.js"; globalThis.client = client;</script>';
/** The page's browser types do not exist here. */
type InPage = {
  readonly client: typeof import('../../client/sdk/index.ts');
  readonly document: { cookie: string };
};

let team: Team;
let browser: OwnBrowser;
let script: string;
let email: string;
beforeAll(async () => {
  team = await openTeam();
  ({ email } = await join(team, 'admin'));
  browser = await openBrowser();
  const bundle = await rolldown({ input: INDEX, logLevel: 'silent' });
  script = (await bundle.generate({ format: 'esm' })).output[0].code;
  await bundle.close();
});
afterAll(() => Promise.all([browser.close(), team.close()]));

/** A page of this origin that can import the client; other requests go to the service. */
async function pageAt(origin: string): Promise<Page> {
  const page = await browser.newPage();
  await page.route('**/page', (route) => route.fulfill({ body: PAGE, contentType: 'text/html' }));
  await page.route('**/client.js', (route) =>
    route.fulfill({ body: script, contentType: 'text/javascript' }),
  );
  await page.goto(`${origin}/page`);
  return page;
}

test('on a page of the service the browser keeps the session, out of reach of scripts', async () => {
  const page = await pageAt(team.harness.baseUrl);
  const work = async ({ email, password, tenantId }: Record<'email' | 'password' | 'tenantId', string>) => {
    const { client, document } = globalThis as unknown as InPage;
    const { createAccount, createTenant } = client;
    const account = createAccount({ baseUrl: '' });
    await account.signIn(email, password);
    // A new object, as after a reload: only the browser's cookie remains.
    const tenant = createTenant({ baseUrl: '', tenantId });
    const created = await tenant.articles.create({ title: 'From a browser', answer: 'Text.' });
    const titles: string[] = [];
    for await (const { title } of tenant.articles.list({ q: 'browser' })) titles.push(title);
    let exported = 0;
    for await (const _ of tenant.export()) if (++exported === 3) break;
    const { cookie } = document;
    await account.signOut();
    const signedOut = (await account.session()) === undefined;
    return { status: created.status, titles, exported, signedOut, cookie };
  };
  expect(await page.evaluate(work, { email, password: PASSWORD, tenantId: team.workspace.id })).toEqual({
    status: 'draft',
    titles: ['From a browser'],
    exported: 3,
    signedOut: true,
    cookie: '',
  });
  await page.close();
});

test('a page of another origin cannot sign in, even with the right password', async () => {
  const page = await pageAt(team.harness.baseUrl.replace('127.0.0.1', 'localhost'));
  const signIns = () => team.harness.logged.filter((line) => line.operation === 'signIn').length;
  const before = signIns();
  const attempt = async ({ baseUrl, email, password }: Record<'baseUrl' | 'email' | 'password', string>) => {
    const { client } = globalThis as unknown as InPage;
    return client
      .createAccount({ baseUrl })
      .signIn(email, password)
      .catch((error) => error.code);
  };
  expect(await page.evaluate(attempt, { baseUrl: team.harness.baseUrl, email, password: PASSWORD })).toBe(
    'network',
  );
  expect(signIns()).toBe(before);
  await page.close();
});
