import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { expectAccessible } from '../support/browser.ts';
import { ask, launcher, openDemoSiteBeforeAll, openPanel, panel, visit } from '../support/demo-site.ts';

/** What assistive technology is told at each step of a visitor's journeys, where axe finds nothing in light and dark. */

openDemoSiteBeforeAll();

const COMPOSER = [
  'text: Your question',
  'textbox "Your question"',
  'button "Speak your question"',
  'button "Send"',
  'group: You are chatting with an AI assistant, not a person.',
  'button "Privacy"',
  'text: Guidepost',
];

/** The panel with these lines between its header and its composer. */
const inPanel = (buttons: readonly string[], ...lines: string[]) => [
  'dialog "Juniper Desktop":',
  '  heading "Juniper Desktop" [level=2]',
  ...[...buttons, 'Help articles', 'Enlarge', 'Close the guide'].map((name) => `  button "${name}"`),
  ...lines.map((line) => `  ${line}`),
  ...COMPOSER.map((line) => `  ${line}`),
];

/** Words of an article in a search result. */
const SNIPPET = / Get on the internet[^"]*/;

/** Compares the roles, names and states of a dialog with these lines; texts of articles are left out. */
async function expectTree(page: Page, lines: readonly string[]): Promise<void> {
  const tree = await panel(page).ariaSnapshot();
  const seen = tree
    .split('\n')
    .filter((line) => !/- (?:\/\w+|paragraph):/.test(line))
    .map((line) =>
      line
        .replace(/- '(.*)'/, '- $1')
        .replace(/^( *)- /, '$1')
        .replace(/^( *(?:textbox|link) .*):$/, '$1')
        .replace(SNIPPET, ''),
    );
  expect(seen).toEqual(lines);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page, 'guidepost-guide');
  }
}

test('a visitor who opens the guide and asks hears the answer, its source and what comes next', async () => {
  const { page } = await visit({ reducedMotion: 'reduce' });
  await openPanel(page);
  await expectTree(
    page,
    inPanel(
      [],
      'log "Conversation":',
      '  heading "You could ask" [level=3]',
      '  list:',
      '    listitem:',
      '      button "How do I take a screenshot?"',
      '  button "Help articles"',
      'group "May the guide remember you?":',
      '  heading "May the guide remember you?" [level=3]',
      '  button "Details"',
      '  button "Decline"',
      '  button "Agree"',
    ),
  );

  await page.getByRole('button', { name: 'Decline' }).click();
  await ask(page, 'How do I set the screen brightness?');
  await page.getByRole('button', { name: 'Read aloud' }).waitFor();
  await expectTree(
    page,
    inPanel(
      ['New chat'],
      'log "Conversation":',
      '  text: "You asked:"',
      '  text: "The guide answered:"',
      '    text: If it is possible to set the brightness of your screen, you can also have the screen dim automatically to save power.',
      '    superscript:',
      '      button "Source 1: Set screen brightness": "1"',
      '  heading "Sources" [level=3]',
      '  list:',
      '    listitem:',
      '      text: "1"',
      '      link "Set screen brightness"',
      '  heading "On this page" [level=3]',
      '  button "Show “Screen brightness”"',
      '  group "Was this helpful?":',
      '    text: Was this helpful?',
      '    button "Yes"',
      '    button "No"',
      '  button "Copy"',
      '  button "Read aloud"',
      '  heading "You could ask next" [level=3]',
      '  list:',
      '    listitem:',
      '      button "Screenshots and screencasts"',
      '    listitem:',
      '      button "Change text size on the screen"',
      '    listitem:',
      '      button "Connect to a wireless network"',
    ),
  );

  await page.getByRole('button', { name: 'Source 1: Set screen brightness' }).click();
  await expectTree(
    page,
    inPanel(
      ['New chat'],
      'region "Set screen brightness":',
      '  button "Back to the conversation"',
      '  heading "Set screen brightness" [level=3]',
      '  blockquote:',
      '  link "Read the article"',
    ),
  );
});

test('a visitor who opens the articles in the panel hears the collections, and an article with what to do next', async () => {
  const { page } = await visit({ reducedMotion: 'reduce' });
  await openPanel(page);
  await page.getByRole('button', { name: 'Decline' }).click();
  await panel(page).getByRole('button', { name: 'Help articles' }).last().click();
  await page.getByRole('button', { name: 'Screen 2' }).waitFor();
  await expectTree(
    page,
    inPanel(
      [],
      'region "Help articles":',
      '  button "Back to the conversation"',
      '  heading "Help articles" [level=3]',
      '  combobox "Search the articles"',
      '  status',
      '  list:',
      '    listitem:',
      '      button "Screen 2"',
      '    listitem:',
      '      button "Back up your important files"',
      '    listitem:',
      '      button "Change text size on the screen"',
      '    listitem:',
      '      button "Connect to a wireless network"',
    ),
  );

  await page.getByRole('button', { name: 'Change text size on the screen' }).click();
  await page.getByRole('button', { name: 'Ask about this' }).waitFor();
  await expectTree(
    page,
    inPanel(
      [],
      'region "Change text size on the screen":',
      '  button "Back"',
      '  heading "Change text size on the screen" [level=3]',
      '  button "Ask about this"',
      '  link "Read the article"',
    ),
  );
});

test('a visitor who searches in the dialog hears how many articles there are, and which one is chosen', async () => {
  const { page } = await visit({ reducedMotion: 'reduce' });
  await launcher(page).waitFor();
  await page.evaluate('Guidepost.open("search")');
  await page.getByRole('combobox', { name: 'Search the articles' }).fill('wireless');
  await page.locator('guidepost-guide [aria-selected=true]').waitFor();
  await expectTree(page, [
    'dialog "Help articles":',
    '  region "Help articles":',
    '    heading "Help articles" [level=3]',
    '    combobox "Search the articles" [expanded]: wireless',
    '    status: "Articles found: 1"',
    '    listbox "Help articles":',
    '      option "Connect to a wireless network" [selected]',
    '      option "Ask the guide: “wireless”"',
    '  button "Back"',
  ]);
});
