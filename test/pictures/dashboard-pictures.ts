import type { BrowserContextOptions, Page } from 'playwright-core';
import { newSetupUrl } from '../../server/accounts/setup.ts';
import { type AppSite, followLink, openAppSite } from '../support/app-site.ts';
import { openBrowser } from '../support/browser.ts';
import { askGuide } from '../support/guide-frame.ts';
import { openHarness } from '../support/harness.ts';
import { openSampleSite } from '../support/sample-site.ts';
import { PASSWORD, type Person } from '../support/team.ts';
import type { Picture } from './picture.ts';
import { type Ids, prepare } from './picture-workspace.ts';

type Visit = { page: Page; site: AppSite; go: (path: string) => Promise<void> };
type Act = (visit: Visit) => Promise<unknown>;
type State = {
  name: string;
  /** A path below the workspace, or below the dashboard when it begins with `//`. */
  path?: string;
  /** A workspace with several days of use by default. */
  workspace?: 'empty';
  who?: Person | 'guest';
  /** Steps from the loaded page to the state. */
  acts?: readonly Act[];
  /** Opens the page after these pictures, from another page. */
  first?: readonly Act[];
  locale?: string;
  /** The part that is checked, where a menu covers parts of the page behind it. */
  within?: string;
};

const press =
  (name: string | RegExp): Act =>
  ({ page }) =>
    page
      .getByRole('button', { name, exact: typeof name === 'string' })
      .first()
      .click();
const choose =
  (name: string): Act =>
  ({ page }) =>
    page.getByRole('menuitem', { name }).click();
const write =
  (name: string, text: string): Act =>
  ({ page }) =>
    page.getByRole('textbox', { name }).first().fill(text);
const search =
  (name: string, text: string): Act =>
  ({ page }) =>
    page.getByRole('searchbox', { name }).or(page.getByRole('textbox', { name })).first().fill(text);
const see =
  (text: string | RegExp): Act =>
  ({ page }) =>
    page.getByText(text).first().waitFor();
const ask =
  (question: string): Act =>
  ({ page }) =>
    askGuide(page, question);
const scrollTo =
  (table: string): Act =>
  ({ page }) =>
    page.getByRole('table', { name: table, exact: true }).scrollIntoViewIfNeeded();
const seeDialog: Act = ({ page }) => page.getByRole('dialog').last().waitFor();
const seeMenu: Act = ({ page }) => page.getByRole('menu').waitFor();
const seeShapes: Act = ({ page }) => page.locator('.mantine-Skeleton-root').first().waitFor();
const hold: Act = ({ page }) => page.route('**/api/tenants/**', () => {});
const break_: Act = ({ page }) =>
  page.route(/\/api\/tenants\//, (route) =>
    route.fulfill({
      status: 500,
      json: { error: 'internal', message: 'It failed.', request_id: 'req_01kakv2fxse7wtg6x5r0h8rjbm' },
    }),
  );
const goOffline: Act = ({ page }) => page.context().setOffline(true);
const endSession: Act = ({ page }) => page.context().clearCookies();
const selectAll: Act = ({ page }) =>
  page.getByRole('checkbox', { name: 'Select all articles on this page' }).check();
const openPreview: Act = async ({ page }) => {
  const preview = page.getByText('Preview', { exact: true });
  if (await preview.isVisible()) await preview.click();
  await page.locator('.guide-preview aside').waitFor();
};
const showTable: Act = ({ page }) => page.getByText('Table', { exact: true }).first().click();
const openNavigation: Act = async ({ page }) => {
  const burger = page.getByRole('button', { name: 'Open navigation' });
  if (await burger.isVisible()) await burger.click();
};
const openFilters = press(/^Filters/);
/** Opens the first row of a list beside its detail, which a phone shows in place of the list. */
const openFirst: Act = ({ page }) => page.locator('[data-row]').first().click();
const pressKeys =
  (keys: string): Act =>
  ({ page }) =>
    page.keyboard.press(keys);
const unpublish = [press('More actions'), choose('Unpublish'), seeDialog];
const confirm: Act = ({ page }) =>
  page.getByRole('dialog').getByRole('button', { name: 'Unpublish' }).click();
const undoUnpublish: Act = ({ page }) =>
  page.getByRole('alert').getByRole('button', { name: 'Undo' }).click();

/** Enters a name that differs on each screen. */
const rename: Act = async ({ page }) => {
  const name = page.getByRole('textbox', { name: 'Name' }).first();
  await name.fill(`${await name.inputValue()}!`);
};

/** Addresses that name an article or a conversation. */
const ARTICLE = '/articles/{article}';
const CONVERSATION = '/conversations/{conversation}';
const SOURCE = '/sources/{source}';

// biome-ignore format: a line each
const STATES: readonly State[] = [
  { name: 'sign in', path: '//sign-in', who: 'guest' },
  { name: 'sign in, wrong password', path: '//sign-in', who: 'guest', acts: [write('Email', 'owner@shop.example'), write('Password', 'not the password of anybody'), pressKeys('Enter'), see('Incorrect email or password.')] },
  { name: 'invitation, incomplete link', path: '//invitation', who: 'guest' },
  { name: 'setup, incomplete link', path: '//setup', who: 'guest' },
  { name: 'page not found', path: '/nowhere' },
  { name: 'page not found, outside of a workspace', path: '//nowhere' },
  { name: 'overview' },
  { name: 'overview, empty', workspace: 'empty' },
  { name: 'overview, for members', who: 'member' },
  { name: 'overview, in German', locale: 'de-DE' },
  { name: 'overview, loading', path: '', first: [hold], acts: [seeShapes] },
  { name: 'overview, error', path: '', first: [break_], acts: [see('Something went wrong')] },
  { name: 'overview, navigation', acts: [openNavigation] },
  { name: 'overview, offline', acts: [goOffline, see('You’re offline')] },
  { name: 'account menu', acts: [press('Account'), seeMenu] },
  { name: 'palette', acts: [pressKeys('Control+k'), seeDialog] },
  { name: 'shortcuts', acts: [pressKeys('Shift+?'), seeDialog] },
  { name: 'installation', path: '/installation' },
  { name: 'installation, empty', path: '/installation', workspace: 'empty' },
  { name: 'articles', path: '/articles' },
  { name: 'articles, empty', path: '/articles', workspace: 'empty' },
  { name: 'articles, nothing found', path: '/articles', acts: [search('Search articles', 'submarine'), see('No matching articles')] },
  { name: 'articles, loading', path: '/articles', first: [hold], acts: [seeShapes] },
  { name: 'articles, error', path: '/articles', first: [break_], acts: [see('Something went wrong')] },
  { name: 'articles, session over', path: '/articles', acts: [endSession, search('Search articles', 'screen'), seeDialog] },
  { name: 'articles, selected', path: '/articles', acts: [selectAll, see(/articles selected/)] },
  { name: 'articles, move selected', path: '/articles', acts: [selectAll, press('Move to …'), seeDialog] },
  { name: 'articles, delete selected', path: '/articles', acts: [selectAll, press('Delete …'), seeDialog] },
  { name: 'articles, collections', path: '/articles', acts: [press('More actions'), choose('Manage collections'), seeDialog] },
  { name: 'articles, filters', path: '/articles?status=published', acts: [openFilters, seeDialog], within: '[role="dialog"]' },
  { name: 'articles, columns', path: '/articles', acts: [press('Columns'), seeMenu] },
  { name: 'articles, languages', path: '/articles', acts: [press(/^Languages of/), seeMenu] },
  { name: 'find and replace', path: '/articles/replace', acts: [write('Find', 'screen'), write('Replace with', 'display'), pressKeys('Enter'), see(/^Replace \d/)] },
  { name: 'new article', path: '/articles/new' },
  { name: 'new article, errors', path: '/articles/new', acts: [press('Create draft'), see('Enter a title')] },
  { name: 'article', path: ARTICLE },
  { name: 'article, for members', path: ARTICLE, who: 'member' },
  { name: 'article, preview', path: ARTICLE, acts: [openPreview] },
  { name: 'article, with a table', path: '/articles/{table}', acts: [openPreview] },
  { name: 'article, session over', path: ARTICLE, acts: [endSession, write('Title', 'Change the brightness'), seeDialog] },
  { name: 'article, more actions', path: ARTICLE, acts: [press('More actions'), seeMenu] },
  { name: 'article, scheduled', path: '/articles/{table}', acts: [see(/^Goes live on/), see('Still right')] },
  { name: 'article, publish later', path: '/articles/{table}', acts: [press('Change'), seeDialog] },
  { name: 'article, confirmation', path: ARTICLE, acts: unpublish },
  { name: 'article, toast', path: ARTICLE, acts: [publishFirst, ...unpublish, confirm, see('Unpublished.')] },
  { name: 'article, undone', path: ARTICLE, acts: [publishFirst, ...unpublish, confirm, undoUnpublish, see('Undone.')] },
  { name: 'article, revisions', path: `${ARTICLE}/revisions` },
  { name: 'translation, outdated', path: `${ARTICLE}/translations/de` },
  { name: 'translation, new', path: `${ARTICLE}/translations/is` },
  { name: 'translation, in review', path: `${ARTICLE}/translations/nb` },
  { name: 'my tasks', path: '/review-queue', acts: [see('Everyone'), ({ page }) => page.getByText('Everyone', { exact: true }).click()] },
  { name: 'my tasks, verify', path: '/review-queue', acts: [({ page }) => page.getByText(/^Verify \(1/).click(), openFirst, see('Still right')] },
  { name: 'my tasks, empty', path: '/review-queue', workspace: 'empty' },
  { name: 'inbox', path: '/inbox' },
  { name: 'inbox, empty', path: '/inbox', workspace: 'empty' },
  { name: 'inbox, for members', path: '/inbox', who: 'member' },
  { name: 'inbox, a question', path: '/inbox', acts: [openFirst] },
  { name: 'inbox, choose an article', path: '/inbox', acts: [openFirst, press('More actions'), choose('Link article'), seeDialog] },
  { name: 'inbox, asked again', path: '/inbox?state=resolved' },
  { name: 'inbox, in Japanese', path: '/inbox', locale: 'ja-JP' },
  { name: 'handovers, asking a person', path: '/handovers' },
  { name: 'handovers, asking a person, opened', path: '/handovers', acts: [openFirst] },
  { name: 'answer tests', path: '/answer-tests' },
  { name: 'answer tests, empty', path: '/answer-tests', workspace: 'empty' },
  { name: 'sources', path: '/sources' },
  { name: 'sources, empty', path: '/sources', workspace: 'empty' },
  { name: 'sources, import files', path: '/sources/import' },
  { name: 'sources, add website', path: '/sources/website' },
  { name: 'sources, add website, errors', path: '/sources/website', acts: [press('Add website'), see('Enter addresses that start')] },
  { name: 'sources, connect Zendesk', path: '/sources/zendesk' },
  { name: 'sources, connect Notion', path: '/sources/notion' },
  { name: 'source, website', path: '/sources/{website}' },
  { name: 'source, files', path: SOURCE },
  { name: 'source, run to apply', path: `${SOURCE}/runs/{run}` },
  { name: 'source, conflicts', path: `${SOURCE}/conflicts` },
  { name: 'source, conflicts, in French', path: `${SOURCE}/conflicts`, locale: 'fr-FR' },
  { name: 'playground', path: '/preview' },
  { name: 'playground, answer', path: '/preview', acts: [ask('How do I take a screenshot?'), see('Why this answer')] },
  { name: 'playground, no answer', path: '/preview', acts: [ask('Do you ship to Norway?'), see('The guide has no answer')] },
  { name: 'conversations', path: '/conversations' },
  { name: 'conversations, empty', path: '/conversations', workspace: 'empty' },
  { name: 'conversation', path: CONVERSATION },
  { name: 'analytics', path: '/analytics' },
  { name: 'analytics, empty', path: '/analytics', workspace: 'empty' },
  { name: 'analytics, loading', path: '/analytics', first: [hold], acts: [seeShapes] },
  { name: 'analytics, a table', path: '/analytics', acts: [showTable] },
  { name: 'analytics, topics', path: '/analytics', acts: [scrollTo('Topics')] },
  { name: 'analytics, articles', path: '/analytics?tab=articles', acts: [scrollTo('Most cited articles')] },
  { name: 'analytics, visitors', path: '/analytics?tab=audience', acts: [scrollTo('Languages')] },
  { name: 'analytics, in Spanish', path: '/analytics', locale: 'es-ES' },
  { name: 'audit', path: '/audit' },
  { name: 'settings, general', path: '/settings' },
  { name: 'settings, saved', path: '/settings', acts: [rename, press('Save'), see('Saved. Live for visitors')] },
  { name: 'settings, appearance', path: '/settings/appearance' },
  { name: 'settings, consent', path: '/settings/consent' },
  { name: 'settings, voice', path: '/settings/voice' },
  { name: 'settings, guide', path: '/settings/guide' },
  { name: 'settings, guidance', path: '/settings/guidance' },
  { name: 'settings, help centre', path: '/settings/help-centre' },
  { name: 'settings, members', path: '/settings/members' },
  { name: 'settings, invitation link', path: '/settings/members', acts: [({ page }) => page.getByRole('textbox', { name: 'Email' }).fill(`${crypto.randomUUID()}@shop.example`), press('Create invitation link'), seeDialog] },
  { name: 'settings, sign-in', path: '/settings/sign-in' },
  { name: 'settings, API keys', path: '/settings/api-keys' },
  { name: 'settings, new API key', path: '/settings/api-keys', acts: [press('Create API key'), seeDialog] },
  { name: 'settings, automation', path: '/settings/automation' },
  { name: 'settings, new automation session', path: '/settings/automation', acts: [press('Create automation session'), seeDialog] },
  { name: 'settings, customers', path: '/settings/customers', acts: [write('User token', 'a.b.c'), press('Check'), see('The guide refuses this token')] },
  { name: 'settings, webhooks', path: '/settings/webhooks' },
  { name: 'settings, new webhook', path: '/settings/webhooks', acts: [press('Create webhook'), seeDialog] },
  { name: 'settings, storage', path: '/settings/storage' },
  { name: 'settings, export and import', path: '/settings/transfer' },
  { name: 'settings, no access', path: '/settings/api-keys', who: 'member' },
  { name: 'account', path: '//account' },
];

/** Publishes the article, which the run on another screen may have unpublished. */
async function publishFirst({ page }: Visit): Promise<void> {
  const publish = page.getByRole('button', { name: 'Publish', exact: true });
  await page.getByRole('button', { name: 'More actions' }).waitFor();
  if (await publish.isVisible()) await publish.click();
  await page.getByRole('button', { name: 'Publish changes' }).waitFor();
}

export async function openDashboardPictures() {
  const sample = await openSampleSite();
  const empty = await openAppSite({ articles: [] });
  const ids = await prepare(sample);
  const server = await openNewServer();
  const toPicture = (state: State): Picture => ({
    name: `dashboard: ${state.name}`,
    open: (options) => open(state.workspace ? empty : sample, ids, state, options),
    ...(state.within !== undefined && { within: state.within }),
  });
  return {
    pictures: [...server.pictures, ...STATES.map(toPicture)],
    close: async () => {
      await server.close();
      await sample.close();
      await empty.close();
    },
  };
}

/** How long a page may take to get into its state. */
const STATE_MILLIS = 20_000;

async function open(
  site: AppSite,
  ids: Ids,
  { path = '', who = 'owner', acts = [], first, locale = 'en-GB' }: State,
  options: BrowserContextOptions,
) {
  const address = path.replace(/\{(\w+)\}/g, (_, name: keyof Ids) => ids[name]);
  const client = who === 'guest' ? who : await site.team.signIn(site.team.as(who));
  const { page, go } = await site.open(client, first ? '//account' : address, { ...options, locale });
  page.setDefaultTimeout(STATE_MILLIS);
  const visit = { page, site, go };
  const settle = () => page.getByRole('heading', { level: 1 }).first().waitFor();
  await settle();
  for (const act of first ?? []) await act(visit);
  if (first) await go(address);
  if (!first) await page.waitForLoadState('networkidle');
  for (const act of acts) await act(visit);
  return { page, close: () => site.leave() };
}

/** Opens a new installation, before there is an account. */
async function openNewServer() {
  const harness = await openHarness({ articles: [] });
  const browser = await openBrowser();
  const link = (await newSetupUrl(harness.service, harness.baseUrl))!;
  const follow =
    (to: string, ...acts: readonly ((page: Page) => Promise<unknown>)[]): Picture['open'] =>
    async (options) => {
      const { page, close } = await followLink(browser, to, options);
      await page.getByRole('heading', { level: 1 }).waitFor();
      for (const act of acts) await act(page);
      return { page, close };
    };
  const submit = (page: Page) => page.getByRole('button', { name: 'Create workspace' }).click();
  const fill = (page: Page) => page.getByLabel('Password', { exact: true }).fill(PASSWORD.slice(0, 9));
  const pictures: readonly Picture[] = [
    { name: 'dashboard: setup', open: follow(link) },
    { name: 'dashboard: setup, errors', open: follow(link, fill, submit) },
    { name: 'dashboard: setup, used link', open: follow(`${link}x`) },
  ];
  return {
    pictures,
    close: async () => {
      await browser.close();
      await harness.close();
    },
  };
}
