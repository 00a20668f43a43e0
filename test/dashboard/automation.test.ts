import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTenant } from '../../client/sdk/index.ts';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { openAutomation } from '../support/team.ts';

let site: AppSite;
beforeAll(async () => {
  site = await openAppSite();
});
afterEach(() => site.leave());
afterAll(() => site.close());

describe('automation page', () => {
  it('creates a session, shows its token once and ends it', async () => {
    const { page, pageErrors } = await site.open('owner', '/settings/automation');
    await page.getByText('No automation sessions yet').waitFor();
    await page.getByRole('button', { name: 'Create automation session' }).click();
    const form = page.getByRole('dialog', { name: 'Create automation session' });
    await form.getByRole('button', { name: 'Create session' }).click();
    await form.getByText('Enter a name.').waitFor();
    await form.getByRole('textbox', { name: 'Name' }).fill('Docs pipeline');
    await form.getByLabel('Ends on').fill('2099-01-31');
    await form.getByRole('button', { name: 'Create session' }).click();
    await form.getByText('Choose a day within a year.').waitFor();
    expect(await form.getByRole('checkbox', { name: 'May approve its own translations' }).count()).toBe(0);
    await form.getByRole('checkbox', { name: 'Review' }).check();
    await form.getByRole('checkbox', { name: 'May approve its own translations' }).check();
    await expectAccessible(page);
    await form.getByLabel('Ends on').fill('');
    await form.getByRole('button', { name: 'Create session' }).click();
    const shown = page.getByRole('dialog', { name: 'Automation session “Docs pipeline”' });
    const token = await shown.getByRole('textbox', { name: 'Token' }).inputValue();
    await expectAccessible(page);
    await shown.getByRole('checkbox', { name: 'I’ve stored this token' }).check();
    await shown.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row', { name: /Docs pipeline/ });
    await row.getByText('Articles, Review').waitFor();
    expect(await page.content()).not.toContain(token);
    await expectAccessible(page);

    const { team } = site;
    const tenant = createTenant({
      baseUrl: team.harness.baseUrl,
      tenantId: team.workspace.id,
      session: token,
    });
    await tenant.articles.create({
      slug: 'pipeline',
      locale: 'en',
      title: 'Written by a program',
      answer: '.',
    });

    await row.getByRole('button', { name: 'End Docs pipeline' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('No automation sessions yet').waitFor();
    await page.getByRole('switch', { name: 'Show ended sessions' }).check();
    await row.getByText('Ended').waitFor();
    await expect(tenant.settings.read()).rejects.toMatchObject({ code: 'session/unauthorized' });
    expect(pageErrors).toEqual([]);
  });

  it('names the session in the audit and in revisions', async () => {
    const { harness, as } = site.team;
    const automation = await openAutomation({ harness, memberClient: as('owner') }, { name: 'Importer' });
    const article = { slug: 'imported', locale: 'en', title: 'Imported by a program', answer: 'Yes.' };
    await automation.post('/knowledge/articles', article);
    const { page, go } = await site.open('admin', '/audit?action=article.created');
    await page.getByRole('row', { name: /Importer \(automation\)/ }).waitFor();
    await page.getByRole('link', { name: 'Imported by a program' }).click();
    await page.getByRole('link', { name: 'Revisions' }).click();
    await page.getByRole('row', { name: /Importer \(automation\)/ }).waitFor();
    await go('/audit?action=automation_session.');
    await page
      .getByRole('row', { name: /Created an automation session/ })
      .first()
      .waitFor();
  });

  it('lets only owners create sessions, and shows members nothing', async () => {
    const { page } = await site.open('admin', '/settings/automation');
    const button = page.getByRole('button', { name: 'Create automation session' });
    expect(await button.getAttribute('aria-description')).toBe('Only owners can create automation sessions.');
    await button.click({ force: true });
    expect(await page.getByRole('dialog').count()).toBe(0);
    const { page: other } = await site.open('member', '/settings/automation');
    await other.getByText('Only owners and admins can view this page.').waitFor();
  });
});
