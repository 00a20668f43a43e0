import type { FrameLocator, Page } from 'playwright-core';

/** The guide of the playground. */
export const getGuide = (page: Page): FrameLocator => page.frameLocator('iframe[title="Guide"][data-shown]');

/** Asks the guide of the playground. */
export async function askGuide(page: Page, question: string): Promise<void> {
  const field = getGuide(page).getByRole('textbox', { name: 'Question' });
  await field.fill(question);
  await field.press('Enter');
}
