import { expect, it } from 'vitest';
import { newSetupUrl } from '../../server/accounts/setup.ts';
import { follow, harness, openServiceBeforeEach, waitForHeading } from '../support/app-site.ts';
import { countClicks, expectTree } from '../support/clicks.ts';
import { PASSWORD } from '../support/signed-in-client.ts';
import { openWebsite } from '../support/website.ts';

openServiceBeforeEach();

/** A site with one page, into which its owner pastes the script tag. */
async function openOwnSite() {
  let snippet = '';
  const { port, close } = await openWebsite(
    () =>
      `<!doctype html><html lang="en"><title>Bicycles</title><main><h1>Bicycles</h1></main>${snippet}</html>`,
  );
  return {
    address: `http://localhost:${port}`,
    paste: (text: string) => {
      snippet = text;
    },
    close,
  };
}

it('getting from set-up to the first answer on the own site takes at most 7 clicks', async () => {
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

    await waitForHeading(page, 'Set up your guide');
    await expectTree(page.getByRole('main'), [
      'heading "Set up your guide" [level=1]',
      'heading "Install the guide" [level=2]',
      'button "Copy snippet"',
      'heading "Write your first article" [level=2]',
      'link "Write an article"',
      'heading "Try it out" [level=2]',
      'link "Open playground"',
    ]);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'Copy snippet' }).click();
    await page.getByText('Copied').waitFor();
    shop.paste((await page.evaluate('navigator.clipboard.readText()')) as string);
    await page.getByRole('link', { name: 'Write an article' }).click();

    await waitForHeading(page, 'New article');
    await page.getByRole('textbox', { name: 'Title' }).fill('How long do repairs take?');
    await page.getByRole('textbox', { name: 'Answer' }).fill('We repair your bicycle within two days.');
    await page.getByRole('button', { name: 'Create draft' }).click();
    await waitForHeading(page, 'How long do repairs take?');
    await expectTree(page.getByRole('main'), [
      'button "Publish"',
      'textbox "Title": How long do repairs take?',
      'heading "Translations" [level=2]',
    ]);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('Published').first().waitFor();

    await page.goto(shop.address);
    await page.getByRole('button', { name: 'Open the guide' }).click();
    await page.waitForFunction(
      `document.querySelector('guidepost-guide').shadowRoot?.activeElement?.tagName === 'TEXTAREA'`,
    );
    await page.keyboard.type('How long does a repair take?');
    await page.keyboard.press('Enter');
    await page.getByText('Was this helpful?').waitFor();
    const answer = page.getByRole('dialog');
    await expectTree(answer, [
      'heading "Bicycles" [level=2]',
      'button "New chat"',
      'button "Close the guide"',
      'log "Conversation"',
      'button "Source 1: How long do repairs take?"',
      'group "Was this helpful?"',
      'button "Yes"',
      'button "No"',
      'button "Copy"',
      'textbox "Your question"',
      'button "Send"',
      'button "Privacy"',
    ]);
    expect(await answer.getByText('We repair your bicycle within two days.').count()).toBeGreaterThan(0);
    clicks.expectAtMost(7);
    expect(pageErrors).toEqual([]);
  } finally {
    shop.close();
  }
});
