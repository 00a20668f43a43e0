import { readFileSync } from 'node:fs';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type AppSite, openAppSite } from '../support/app-site.ts';
import { expectAccessible } from '../support/browser.ts';

const PICTURE = readFileSync(new URL('../../docs/demo.png', import.meta.url));

describe('the article editor', () => {
  let site: AppSite;
  beforeAll(async () => {
    site = await openAppSite({ articles: [] });
  });
  afterEach(() => site.leave());
  afterAll(() => site.close());

  async function openEditor(answer: string) {
    const owner = site.team.as('owner');
    const { json } = await owner.post<{ id: string }>('/knowledge/articles', {
      title: 'Folding maps',
      answer,
    });
    const visit = await site.open('owner', `/articles/${json.id}`);
    const { page } = visit;
    const field = page.getByRole('textbox', { name: 'Answer' });
    await field.waitFor();
    const read = async () => {
      const article = await owner.get<{ answer: string }>(`/knowledge/articles/${json.id}`);
      return article.json.answer;
    };
    return {
      ...visit,
      field,
      read,
      button: (name: string) => page.getByRole('button', { name, exact: true }),
    };
  }

  it('saves within a second of the last key press', async () => {
    const { page, field, read } = await openEditor('Fold it once.');
    // Stops the clock of the page, so that a busy machine does not matter.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await field.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(' Then fold it twice.');
    const saved = page.waitForRequest((request) => request.method() === 'PUT');
    await page.clock.runFor(999);
    await saved;
    await page.clock.resume();
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read()).toBe('Fold it once. Then fold it twice.');
  });

  it('formats with keys and buttons, one step of undo each', async () => {
    const { page, field, button, pageErrors } = await openEditor('Fold the map');
    await field.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+b');
    expect(await textOf(field)).toBe('**Fold the map**');
    await button('Bold').click();
    expect(await textOf(field)).toBe('Fold the map');
    await button('Numbered list').click();
    expect(await textOf(field)).toBe('1. Fold the map');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Put it away');
    expect(await textOf(field)).toBe('1. Fold the map\n2. Put it away');
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Control+Shift+8');
    expect(await textOf(field)).toBe('- Fold the map\n- Put it away');
    await button('Undo').click();
    expect(await textOf(field)).toBe('1. Fold the map\n2. Put it away');
    await page.keyboard.press('Control+Shift+Z');
    expect(await textOf(field)).toBe('- Fold the map\n- Put it away');
    await page.keyboard.press('Control+k');
    expect(await textOf(field)).toContain('](https://)');
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('is left with Tab, and its toolbar is operated with arrow keys', async () => {
    const { page, field, button } = await openEditor('Fold it.');
    await button('Bold').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    expect(await textOf(field)).toBe('## Fold it.');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).not.toBe('Bold');
    const undo = button('Redo');
    expect(await undo.getAttribute('aria-disabled')).toBe('true');
    expect(await undo.getAttribute('aria-description')).toBe('Nothing to redo.');
  });

  it('shows the text as visitors see it beside it, scrolled to the same part', async () => {
    const paragraphs = Array.from({ length: 60 }, (_, index) => `Paragraph **${index + 1}**`);
    const { page, field, pageErrors } = await openEditor(paragraphs.join('\n\n'));
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.locator('strong', { hasText: '60' }).waitFor();
    await field.hover();
    await page.mouse.wheel(0, 10_000);
    const readScroll = () => preview.evaluate((each) => (each as unknown as { scrollTop: number }).scrollTop);
    await expect.poll(readScroll).toBeGreaterThan(200);
    await field.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.type(', *the last*');
    await preview.locator('em', { hasText: 'the last' }).waitFor();
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    await preview.waitFor({ state: 'detached' });
    await page.getByText('Preview', { exact: true }).click();
    await page.locator('em', { hasText: 'the last' }).waitFor();
    await field.waitFor({ state: 'hidden' });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    await expectAccessible(page);
    expect(pageErrors).toEqual([]);
  });

  it('inserts a table, a note and a link to a video', async () => {
    const { page, field, button } = await openEditor('Prices');
    await field.click();
    await button('Table').click();
    await page.keyboard.type('Map');
    expect(await textOf(field)).toContain('| Map | Column 2 |\n| --- | --- |');
    await page.keyboard.press('Control+End');
    await button('Note').click();
    await page.keyboard.type('Tip');
    expect(await textOf(field)).toContain('**Tip:**');
    await page.keyboard.press('Control+End');
    await button('Video link').click();
    await page.keyboard.type('https://videos.example/1');
    expect(await textOf(field)).toContain('[▶ Video](https://videos.example/1)');
  });

  it.each(Object.entries(CLIPBOARDS))('converts text copied from %s to Markdown', async (_name, html) => {
    const { page, field, read, pageErrors } = await openEditor('Replaced');
    await field.click();
    await page.keyboard.press('Control+a');
    await paste(field, html);
    await expect.poll(() => textOf(field)).toBe(PASTED);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read()).toBe(PASTED);
    expect(pageErrors).toEqual([]);
  });

  it('uploads chosen, pasted and dropped images and shows them in the preview', async () => {
    const { page, field, button, read, pageErrors } = await openEditor('See here:');
    await field.click();
    await page.keyboard.press('Control+End');
    const chooser = page.waitForEvent('filechooser');
    await button('Image').click();
    await (await chooser).setFiles({ name: 'map.png', mimeType: 'image/png', buffer: PICTURE });
    await expect.poll(() => textOf(field)).toMatch(/^See here:!\[\]\(\/images\/img_\w+\)$/);
    await page.getByText('1 image has no description', { exact: false }).waitFor();
    await page.keyboard.type('The whole map');
    await page.getByText('1 image has no description', { exact: false }).waitFor({ state: 'detached' });
    await expectAccessible(page);
    const image = page.getByRole('region', { name: 'Preview' }).getByRole('img', { name: 'The whole map' });
    const getWidth = () =>
      image.evaluate((each) => (each as unknown as { naturalWidth: number }).naturalWidth);
    await expect.poll(getWidth).toBeGreaterThan(100);
    await expectAccessible(page);
    await dropFile(field, PICTURE.toString('base64'), 'image/png');
    await expect.poll(async () => (await textOf(field)).match(/\/images\//g)?.length).toBe(2);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read()).toContain('![The whole map](/images/img_');
    expect(pageErrors).toEqual([]);
  });

  it('explains why an image was not uploaded', async () => {
    const { page, field } = await openEditor('See here:');
    await dropFile(field, Buffer.from('<svg/>').toString('base64'), 'image/svg+xml');
    await page.getByText('The file is not a PNG, JPEG', { exact: false }).waitFor();
    expect(await textOf(field)).toBe('See here:');
  });

  it('reports that it is offline, and saves afterwards', async () => {
    const { page, field, read } = await openEditor('Before');
    await page.context().setOffline(true);
    await field.fill('Written in a tunnel');
    await page.getByText('Offline. Your changes are kept', { exact: false }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await read()).toBe('Written in a tunnel');
  });
});

const PASTED = [
  '## Fold a map',
  'Read **all** of *this*, then see [our shop](https://shop.example.com/).',
  '1. Open it\n2. Fold it\n   - twice',
  '| Size | Folds |\n| ---- | ----- |\n| A4   | 2     |',
].join('\n\n');

const TABLE = '<table><tr><td>Size</td><td>Folds</td></tr><tr><td>A4</td><td>2</td></tr></table>';
const CLIPBOARDS = {
  Word: `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p {color: red}</style></head><body>
    <!--StartFragment--><h2>Fold a map<o:p></o:p></h2>
    <p class=MsoNormal>Read <b>all</b> of <i>this</i>, then see <a href="https://shop.example.com/">our shop</a>.<o:p></o:p></p>
    <p class=MsoListParagraphCxSpFirst style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>1.<span>&nbsp;&nbsp;</span></span><![endif]>Open it<o:p></o:p></p>
    <p class=MsoListParagraphCxSpMiddle style='mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>2.<span>&nbsp;</span></span>Fold it</p>
    <p class=MsoListParagraphCxSpLast style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o<span>&nbsp;</span></span>twice</p>
    ${TABLE}<script>window.hit = 1</script><!--EndFragment--></body></html>`,
  'Google Docs': `<meta charset="utf-8"><b style="font-weight:normal;" id="docs-internal-guid-1"><h2 dir="ltr"><span style="font-weight:400">Fold a map</span></h2>
    <p dir="ltr"><span style="font-weight:400">Read </span><span style="font-weight:700">all</span><span style="font-weight:400"> of </span><span style="font-weight:400;font-style:italic">this</span><span style="font-weight:400">, then see </span><a href="https://shop.example.com/"><span style="color:#1155cc">our shop</span></a><span>.</span></p>
    <ol><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>Open it</span></p></li><li dir="ltr" aria-level="1"><p dir="ltr" role="presentation"><span>Fold it</span></p></li><ul><li dir="ltr" aria-level="2"><p role="presentation"><span>twice</span></p></li></ul></ol>
    <div>${TABLE}</div></b>`,
};

const textOf = (field: Locator) =>
  field.evaluate((content) => {
    const { children } = content as unknown as { children: Iterable<{ textContent: string }> };
    return Array.from(children, ({ textContent }) => textContent).join('\n');
  });

const paste = (field: Locator, html: string) =>
  field.evaluate((content, copied) => {
    const page = globalThis as unknown as Record<string, new (...args: unknown[]) => never>;
    const clipboardData = new page.DataTransfer!() as { setData(type: string, text: string): void };
    clipboardData.setData('text/html', copied);
    clipboardData.setData('text/plain', 'Fold a map');
    const event = new page.ClipboardEvent!('paste', { clipboardData, bubbles: true, cancelable: true });
    (content as unknown as { dispatchEvent(event: unknown): void }).dispatchEvent(event);
  }, html);

const dropFile = (field: Locator, base64: string, type: string) =>
  field.evaluate(
    (content, file) => {
      const page = globalThis as unknown as Record<string, new (...args: unknown[]) => never>;
      const bytes = Uint8Array.from(atob(file.base64), (sign) => sign.charCodeAt(0));
      const dataTransfer = new page.DataTransfer!() as { items: { add(file: unknown): void } };
      dataTransfer.items.add(new page.File!([bytes], 'dropped', { type: file.type }));
      const event = new page.DragEvent!('drop', { dataTransfer, bubbles: true, cancelable: true });
      (content as unknown as { dispatchEvent(event: unknown): void }).dispatchEvent(event);
    },
    { base64, type },
  );
