import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newSetupUrl } from '../../server/accounts/setup.ts';
import { follow, harness, openServiceBeforeEach, waitForHeading } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';
import { countClicks, expectTree } from '../support/clicks.ts';
import { PASSWORD } from '../support/signed-in-client.ts';
import { openWebsite } from '../support/website.ts';

openServiceBeforeEach();

const TOPICS = ['Repairs', 'Rentals', 'Helmets', 'Lights'];
const PAGES_PER_TOPIC = 10;

/** A help center of forty pages in four folders and its home page, into which its owner pastes the script tag. */
async function openOwnSite() {
  let snippet = '';
  const paths = TOPICS.flatMap((topic) =>
    Array.from({ length: PAGES_PER_TOPIC }, (_, at) => `/help/${topic.toLowerCase()}/${at + 1}`),
  );
  const toPage = (path: string) => {
    const [, , topic, number] = path.split('/');
    const [title, text] =
      number === undefined
        ? ['Bicycles', paths.map((each) => `<a href="${each}">${each}</a>`).join(' ')]
        : [
            `How long do ${topic} of kind ${number} take?`,
            `<p>Our ${topic} of kind ${number} take ${number} days and a cup of tea while you wait for your bicycle.</p>`,
          ];
    return `<!doctype html><html lang="en"><title>${title}</title><main><h1>${title}</h1>${text}</main>${snippet}</html>`;
  };
  const { origin, close } = await openWebsite((path) =>
    path === '/' || paths.includes(path) ? toPage(path) : undefined,
  );
  return {
    address: origin,
    paste: (text: string) => {
      snippet = text;
    },
    close,
  };
}

/** Runs background jobs until the page shows what was found. */
async function waitUntilRead(page: Page, name: string): Promise<void> {
  await expect
    .poll(async () => {
      harness.clock.advance(1_000);
      await harness.service.tick();
      return page.getByRole('heading', { name }).count();
    })
    .toBe(1);
}

it('getting from set-up to the first answer from the pages of the own site takes at most 7 clicks', async () => {
  const shop = await openOwnSite();
  const { page, pageErrors } = await follow((await newSetupUrl(harness.service, harness.baseUrl))!);
  try {
    const clicks = await countClicks(page);
    await waitForHeading(page, 'Set up Guidepost');
    await expectTree(page.locator('body'), [
      'main',
      'heading "Set up Guidepost" [level=1]',
      'textbox "Email"',
      'textbox "Password"',
      'textbox "Workspace name"',
      'textbox "Website"',
      'combobox "Article language"',
      'button "Create workspace"',
    ]);
    await page.getByLabel('Email').fill('ada@bicycles.example');
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Workspace name').fill('Bicycles');
    await page.getByLabel('Website').fill(shop.address);
    await page.getByRole('button', { name: 'Create workspace' }).click();

    await waitForHeading(page, 'Start with your website');
    await waitUntilRead(page, '41 articles found');
    await expectTree(page.getByRole('main'), [
      'heading "41 articles found" [level=2]',
      'checkbox "All" [checked]',
      'checkbox "Publish “How long do repairs of kind 1 take?”" [checked]',
      'heading "Suggestions" [level=2]',
      'checkbox "Sort them into collections" [checked]',
      'textbox "Question 1"',
      'textbox "Question 3"',
      'textbox "Contact page"',
      'button "Publish 41 articles"',
    ]);
    await page.getByText('Repairs (10)').waitFor();
    await expectAccessible(page);
    await page.getByLabel('Publish “How long do lights of kind 10 take?”').uncheck();
    await page.getByRole('button', { name: 'Publish 40 articles' }).click();
    await page.getByText('40 articles published.').first().waitFor();

    await waitForHeading(page, 'Set up your guide');
    await expectTree(page.getByRole('main'), [
      'heading "Set up your guide" [level=1]',
      'heading "Install the guide" [level=2]',
      'button "Copy snippet"',
      'heading "Try it out" [level=2]',
      'link "Open playground"',
    ]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy snippet' }).click();
    await page.getByText('Copied').waitFor();
    shop.paste((await page.evaluate('navigator.clipboard.readText()')) as string);

    await page.goto(shop.address);
    await page.getByRole('button', { name: 'Open the guide' }).click();
    await page.waitForFunction(
      `document.querySelector('guidepost-guide').shadowRoot?.activeElement?.tagName === 'TEXTAREA'`,
    );
    await page.keyboard.type('How long do repairs of kind 7 take?');
    await page.keyboard.press('Enter');
    await page.getByText('Was this helpful?').waitFor();
    const answer = page.getByRole('dialog');
    await expectTree(answer, [
      'heading "Bicycles" [level=2]',
      'button "New chat"',
      'button "Close the guide"',
      'log "Conversation"',
      'button "Source 1: How long do repairs of kind 7 take?"',
      'group "Was this helpful?"',
      'button "Yes"',
      'button "No"',
      'button "Copy"',
      'textbox "Your question"',
      'button "Send"',
      'button "Privacy"',
    ]);
    expect(await answer.getByText('take 7 days and a cup of tea').count()).toBeGreaterThan(0);
    clicks.expectAtMost(7);
    expect(pageErrors).toEqual([]);
  } finally {
    shop.close();
  }
});
