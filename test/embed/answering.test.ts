import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseTextBlocks, splitCells, type TextRange, toPlainText } from '../../client/text-blocks.ts';
import type { Engine, EngineEvent } from '../../server/engine/engine.ts';
import { expectAccessible } from '../support/browser.ts';
import { ask, type DemoSite, openDemoSite, openPanel, ready, type Visit } from '../support/demo-site.ts';
import { USER_AGENT } from '../support/harness.ts';

const WIDE_TABLE = `| | ${'Characteristics '.repeat(3)} | ${'Compatibility | '.repeat(6)}
|${' --- |'.repeat(8)}
| 1 | **Solo** \\| \`a\\|b\` |${' 1,000 |'.repeat(6)}

After it.`;

/** An engine whose answers are slow, hostile or interrupted. */
const engineCalls = { stopped: false, attempts: 0 };
const end: EngineEvent = {
  type: 'end',
  finishReason: 'stop',
  confidence: 1,
  usage: { inputTokens: 0, outputTokens: 0 },
};
const text = (delta: string): EngineEvent => ({ type: 'text', delta });

const engine: Engine = {
  name: 'scripted',
  // Only engines that cost tokens receive the page and may cite it.
  costsTokens: true,
  async *answer(question, signal) {
    if (question.text === 'slow') {
      yield text('The first sentence. And half of');
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      engineCalls.stopped = true;
      return;
    }
    if (question.text === 'broken') {
      engineCalls.attempts += 1;
      yield text('Half an ');
      if (engineCalls.attempts === 1) throw new Error('The engine broke.');
      yield text('answer.');
    }
    if (question.text === 'hostile') {
      yield text('<img src=x onerror="window.hit=1"> & &lt;b&gt;bold&lt;/b&gt;');
      yield {
        type: 'suggestions',
        items: [{ title: '<script>window.hit=2</script>', message: 'hostile' }],
      };
    }
    if (question.text === 'where')
      yield {
        type: 'action',
        kind: 'navigate',
        url: `${question.page.url}?lang=de`,
        label: 'Go to the German page',
        reason: 'It is in German.',
      };
    if (question.text === 'page') {
      const quote = question.page.digest.match(/Juniper Desktop/)![0];
      yield text('It is called Juniper.');
      yield { type: 'page_citation', quote, start: 0, end: 21 };
    }
    if (question.text === 'table') yield text(WIDE_TABLE);
    if (question.text === 'arabic table') yield text('| الحجم | Price |\n| --- | --- |\n| صغير | 5 € |');
    if (question.text === 'person') yield text(`Write here: ${CONTACT.email}`);
    if (question.text === 'nothing') {
      yield text('Nothing was found.');
      yield { ...end, finishReason: 'no_knowledge' };
      return;
    }
    if (question.text === 'focus') {
      const target = question.page.targets.find(({ name }) => name === 'Subject')!;
      yield {
        type: 'action',
        kind: 'focus',
        gpId: target.gpId,
        label: 'Write a message',
        reason: 'For help.',
      };
    }
    yield end;
  },
};

const CONTACT = { email: 'help@shop.example', url: 'https://shop.example/contact', phone: '+43 1 234' };

describe('answers in the panel', () => {
  let site: DemoSite;
  let visit: Visit;
  let page: Page;
  beforeAll(async () => {
    site = await openDemoSite({ engine, settings: { contact: CONTACT } });
  });
  afterEach(() => visit.close());
  afterAll(() => site.close());

  async function ask(question: string): Promise<void> {
    visit = await site.open({ reducedMotion: 'reduce' });
    page = visit.page;
    await page.getByRole('button', { name: 'Open the guide' }).click();
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByLabel('Your question', { exact: true }).fill(question);
    await page.getByLabel('Your question', { exact: true }).press('Enter');
  }

  const log = () => page.getByRole('log');

  /** Presses a button that then disappears, and expects the keyboard focus to stay in the panel. */
  async function pressAndStay(name: string, arrived: () => Promise<unknown>): Promise<void> {
    const focused = () =>
      page.evaluate('document.activeElement.shadowRoot?.activeElement.getAttribute("role")');
    await page.getByRole('button', { name }).press('Enter');
    expect(await focused()).toBe('log');
    await arrived();
    expect(await focused()).toBe('log');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  }

  it('the panel shows a table that scrolls sideways on a phone, also by keyboard', async () => {
    await ask('table');
    await page.setViewportSize({ width: 320, height: 640 });
    const table = log().getByRole('table');
    await table.getByRole('columnheader', { name: 'Compatibility' }).first().waitFor();
    await log().getByText('After it.').waitFor();
    expect(await table.getByRole('row').count()).toBe(2);
    // The first column has no heading.
    expect(await table.getByRole('columnheader').count()).toBe(7);
    expect(await table.getByRole('cell', { name: 'Solo | a|b' }).locator('strong').count()).toBe(1);
    expect(await table.locator('code').textContent()).toBe('a|b');
    expect(await log().evaluate((shown) => shown.scrollWidth <= shown.clientWidth)).toBe(true);
    const area = table.locator('..');
    expect(await area.evaluate((shown) => shown.scrollWidth > shown.clientWidth)).toBe(true);
    await area.focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => area.evaluate((shown) => shown.scrollLeft)).toBeGreaterThan(0);
    await expectAccessible(page);
  });

  it('the panel shows an Arabic table from right to left', async () => {
    await ask('arabic table');
    const first = log().getByRole('columnheader', { name: 'الحجم' });
    const second = log().getByRole('columnheader', { name: 'Price' });
    await second.waitFor();
    const [one, other] = await Promise.all([first.boundingBox(), second.boundingBox()]);
    expect(one!.x).toBeGreaterThan(other!.x);
  });

  it('the panel shows words as they arrive, announces whole sentences, and stops on request', async () => {
    await ask('slow');
    await log().getByText('And half of').waitFor();
    const announced = await page.locator('guidepost-guide [role="status"]').textContent();
    expect(announced).toContain('The first sentence.');
    expect(announced).not.toContain('And half');
    await page.getByRole('button', { name: 'Stop' }).click();
    await log().getByText('You stopped this answer.').waitFor();
    await expect.poll(() => engineCalls.stopped).toBe(true);
    expect(await page.getByRole('button', { name: 'Send', exact: true }).isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Try again' }).click();
    await log().getByText('And half of').waitFor();
    expect(await log().locator('.question').count()).toBe(1);
    expect(visit.pageErrors).toEqual([]);
  });

  it('the panel says when an answer is interrupted, and retries on request, also by keyboard', async () => {
    await ask('broken');
    await log().getByText('The answer was interrupted.', { exact: false }).waitFor();
    await pressAndStay('Try again', () => log().getByText('Half an answer.').waitFor());
    await page.getByRole('button', { name: 'Open the guide' }).click();
    expect(await log().getByText('broke off').count()).toBe(0);
    expect(await page.locator('guidepost-guide .question').count()).toBe(1);
  });

  it('the panel shows the words of the page that an answer comes from', async () => {
    await ask('page');
    await log().getByRole('heading', { name: 'From this page' }).waitFor();
    const quotes = log().getByRole('blockquote');
    expect(await quotes.allTextContents()).toEqual(['Juniper Desktop']);
    await expectAccessible(page);
    expect(visit.pageErrors).toEqual([]);
  });

  it.each(['person', 'nothing'])(
    'the panel links to the contact for "%s", and not elsewhere',
    async (question) => {
      await ask('hostile');
      await log().getByText('Was this helpful?').waitFor();
      expect(await log().getByRole('heading', { name: 'Talk to a person' }).count()).toBe(0);
      await page.getByLabel('Your question', { exact: true }).fill(question);
      await page.getByLabel('Your question', { exact: true }).press('Enter');
      const links = log().locator('.answer').last().locator('.ways, .contact').getByRole('link');
      await links.first().waitFor();
      expect(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href')))).toEqual([
        'mailto:help@shop.example',
        'tel:+431234',
        'https://shop.example/contact',
      ]);
      expect(await links.allTextContents()).toEqual([CONTACT.email, CONTACT.phone, 'Contact page']);
      await expectAccessible(page);
      expect(visit.pageErrors).toEqual([]);
    },
  );

  it('the panel shows markup in answers and suggestions as text', async () => {
    await ask('hostile');
    await log().getByText('‹img src=x onerror="window.hit=1"> & &lt;b&gt;bold&lt;/b&gt;').waitFor();
    await page.getByRole('button', { name: '‹script>window.hit=2 ‹/script>' }).waitFor();
    expect(await page.locator('guidepost-guide').locator('img, b, script').count()).toBe(0);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    const again = () => page.locator('guidepost-guide .question').nth(1).waitFor();
    await pressAndStay('‹script>window.hit=2 ‹/script>', again);
  });

  it('the panel navigates within the site only after a click', async () => {
    await ask('where');
    const go = page.getByRole('button', { name: 'Go to the German page' });
    await go.waitFor();
    expect(page.url()).toBe(site.demoUrl);
    await go.click();
    await page.waitForURL(`${site.demoUrl}?lang=de`);
  });

  it('the panel moves the focus to a proposed field only after a click', async () => {
    await ask('focus');
    await page.getByRole('button', { name: 'Write a message' }).click();
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('subject');
  });

  it('the panel says when to continue after too many questions', async () => {
    await ask('where');
    await page.getByRole('button', { name: 'Go to the German page' }).waitFor();
    const headers = await visit.requests.find((request) => request.url().endsWith('/chat'))!.allHeaders();
    for (let draw = 0; draw < 30; draw += 1) {
      await fetch(`${site.harness.baseUrl}/chat`, {
        method: 'POST',
        body: '{}',
        headers: {
          authorization: headers.authorization!,
          origin: site.harness.baseUrl,
          'content-type': 'application/json',
          'user-agent': USER_AGENT,
        },
      });
    }
    await page.getByLabel('Your question', { exact: true }).fill('where');
    await page.getByLabel('Your question', { exact: true }).press('Enter');
    await log()
      .getByText(/You can continue at \d\d?:\d\d( [AP]M)?\./)
      .waitFor();
  });
});

describe('proposals in the panel', () => {
  /** Proposed actions: the visitor decides, and the next turn reports the outcome. */

  const proposing: Engine = {
    name: 'scripted',
    async *answer({ text, page }) {
      yield { type: 'text', delta: `You asked: ${text}.` };
      if (text === 'where')
        yield {
          type: 'action',
          kind: 'navigate',
          url: `${page.url}?lang=de#topics`,
          label: 'Go there',
          reason: 'It is there.',
        };
      const target = page.targets.find(({ name }) => name === 'Subject');
      if (text === 'focus' && target)
        yield { type: 'action', kind: 'focus', gpId: target.gpId, label: 'Write to us', reason: 'For help.' };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };

  let site: DemoSite;
  let visit: Visit;
  beforeAll(async () => {
    site = await openDemoSite({ engine: proposing });
  });
  afterEach(() => visit.close());
  afterAll(() => site.close());

  async function open(decision: 'Agree' | 'Decline'): Promise<Page> {
    visit = await site.open({ reducedMotion: 'reduce' });
    await openPanel(visit.page);
    await visit.page.getByRole('button', { name: decision }).click();
    await visit.page
      .getByRole('group', { name: 'May the guide remember you?' })
      .waitFor({ state: 'detached' });
    return visit.page;
  }

  const outcomes = () =>
    visit
      .sent('/chat')
      .map(({ action_results: actionResults }) =>
        actionResults?.map(({ outcome }: { outcome: string }) => outcome),
      );

  it('a declined proposal is reported, and the focus stays in the panel', async () => {
    const page = await open('Decline');
    await ask(page, 'focus');
    await page.getByRole('button', { name: 'Not now' }).click();
    await page.getByText('OK, nothing was done.').first().waitFor();
    expect(await page.getByRole('button', { name: 'Write to us' }).count()).toBe(0);
    expect(await page.evaluate('document.activeElement.shadowRoot.activeElement.textContent')).toBe(
      'OK, nothing was done.',
    );
    await ask(page, 'delivery times');
    await page.getByText('You asked: delivery times.').last().waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).waitFor();
    await ask(page, 'gift wrapping');
    await page.getByText('You asked: gift wrapping.').last().waitFor();
    expect(outcomes()).toEqual([undefined, ['declined'], undefined]);
  });

  it('a navigation shows its destination, and the next page reports it for stored visitors', async () => {
    const page = await open('Agree');
    await ask(page, 'where');
    await page.getByText('/demo?lang=de#topics').waitFor();
    expect(page.url()).toBe(site.demoUrl);
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.waitForURL(/lang=de/);
    await page.getByRole('button', { name: 'Assistenten öffnen' }).click();
    await ready(page);
    await page.locator('guidepost-guide .question').first().waitFor();
    await page.getByLabel('Ihre Frage').fill('thanks');
    await page.keyboard.press('Enter');
    await expect.poll(outcomes).toEqual([undefined, ['done']]);
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
  });

  it('a proposal of an unknown kind is not shown', async () => {
    const page = await open('Decline');
    await page.route('**/chat', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace('"kind":"navigate"', '"kind":"teleport"');
      expect(body).toContain('teleport');
      await route.fulfill({ response, body });
    });
    await ask(page, 'where');
    expect(await page.getByText('You asked: where.').first().isVisible()).toBe(true);
    expect(await page.getByRole('heading', { name: 'On this page' }).isVisible()).toBe(false);
    expect(await page.getByRole('button', { name: 'Go there' }).count()).toBe(0);
  });

  it('a proposal is removed when the answer is interrupted and retried', async () => {
    const page = await open('Decline');
    await page.route('**/chat', async (route) => {
      const response = await route.fetch();
      const frames = (await response.text()).split('\n\n');
      const [, message] = /"message_id":"(\w+)"/.exec(frames.join())!;
      const retry = [
        { type: 'text_replace', seq: 90, text: '', reason: 'retry' },
        { type: 'text_delta', seq: 91, delta: 'Second attempt.', offset: 0 },
      ].map((event) => `id: ${message}:${event.seq}\ndata: ${JSON.stringify(event)}`);
      const end = frames
        .find((frame) => frame.includes('"message_end"'))!
        .replace(/^id: .*/m, `id: ${message}:92`)
        .replace(/"seq":\d+/, '"seq":92');
      const kept = frames.filter((frame) => !frame.includes('"message_end"') && frame.trim());
      await route.fulfill({ response, body: [...kept, ...retry, end, ''].join('\n\n') });
    });
    await ask(page, 'where');
    await page.getByText('Second attempt.').first().waitFor();
    await page.getByText('Was this helpful?').waitFor();
    expect(await page.getByRole('button', { name: 'Go there' }).count()).toBe(0);
    expect(await page.locator('guidepost-guide .text').innerText()).toBe('Second attempt.');
  });

  it('a navigation stores nothing for the next page of a visitor who declined', async () => {
    const page = await open('Decline');
    await ask(page, 'where');
    await page.getByRole('button', { name: 'Go there' }).click();
    await page.waitForURL(/lang=de/);
    expect(await page.evaluate('Object.keys(sessionStorage)')).toEqual([]);
  });
});

const show = (text: string, quotes?: readonly TextRange[]) =>
  parseTextBlocks(text, quotes).map(({ kind, lines }) => [
    kind,
    ...lines.map(
      ({ from, to, indent, isItem }) =>
        `${'  '.repeat(indent / 2)}${isItem ? '- ' : ''}${text.slice(from, to)}`,
    ),
  ]);
const quoted = (text: string) => show(text, [{ from: 0, to: text.length }]);

describe('the Markdown of an answer', () => {
  it('has paragraphs, headings and code without their marks', () => {
    expect(show('# One\nTwo\nthree\n\nFour\n----\n> Five\n\n```sh\nsix\n\nseven\n```\n---\nEight')).toEqual([
      ['h', 'One'],
      ['p', 'Two', 'three'],
      ['h', 'Four'],
      ['p', 'Five'],
      ['pre', 'six', '', 'seven'],
      ['p', 'Eight'],
    ]);
  });

  const cellsOf = (text: string) =>
    parseTextBlocks(text).map(({ kind, lines, hasHead }) => [
      kind,
      hasHead ?? false,
      ...lines.map((line) => splitCells(text, line).map(({ from, to }) => text.slice(from, to))),
    ]);

  it('has tables with and without column names, and empty cells', () => {
    expect(cellsOf('Prices\n| Size | Price |\n|:---|---:|\n| S | |\n| L | 9 \\| 10 |\n\nEnd')).toEqual([
      ['p', false, ['Prices']],
      ['table', true, ['Size', 'Price'], ['S', ''], ['L', '9 \\| 10']],
      ['p', false, ['End']],
    ]);
    expect(cellsOf('Size | Price\n--- | ---\nS | 5')).toEqual([
      ['table', true, ['Size', 'Price'], ['S', '5']],
    ]);
    expect(cellsOf('| L | 9 |\n| XL | 12 |')).toEqual([['table', false, ['L', '9'], ['XL', '12']]]);
    expect(cellsOf('a | b')).toEqual([['p', false, ['a', 'b']]]);
  });

  it('does not end a cell at an escaped bar', () => {
    expect(cellsOf('a \\| b | c\n---|---\nd | `e\\|f` \\|')).toEqual([
      ['table', true, ['a \\| b', 'c'], ['d', '`e\\|f` \\|']],
    ]);
  });

  it('reads a table aloud without its bars', () => {
    expect(toPlainText('| Size | Price |\n| --- | --- |\n| S | 5 |')).not.toMatch(/[|-]/);
    expect(toPlainText('| 5 \\| 6 | 7 |')).toBe(' 5 | 6 , 7 ');
  });

  it('keeps nested items, further lines of an item, and items after a blank line in one list', () => {
    expect(show('1. One\n   more\n   - a\n   - b\n\n2. Two\n\n- other')).toEqual([
      ['list', '- One', 'more', '  - a', '  - b', '- Two'],
      ['list', '- other'],
    ]);
  });
});

describe('the lines of a quote in plain text', () => {
  it('become a list after a line that ends in a colon', () => {
    expect(quoted('You can pair a mouse.\nTo pair it:\nOpen Settings.\n\nClick Pair.\nWait.')).toEqual([
      ['p', 'You can pair a mouse.'],
      ['p', 'To pair it:'],
      ['list', '- Open Settings.', '- Click Pair.', '- Wait.'],
    ]);
  });

  it('become a list where at least three short lines follow each other', () => {
    expect(quoted('設定を開きます。\nマウスをクリックします。\n待ちます。')).toEqual([
      ['list', '- 設定を開きます。', '- マウスをクリックします。', '- 待ちます。'],
    ]);
    expect(quoted('One.\nTwo.')).toEqual([
      ['p', 'One.'],
      ['p', 'Two.'],
    ]);
  });

  it('remain paragraphs where blank lines are between long ones', () => {
    const long = `We send it ${'back '.repeat(20)}soon.`;
    expect(quoted([long, long, long].join('\n\n'))).toEqual([
      ['p', long],
      ['p', long],
      ['p', long],
    ]);
    const longer = `Wait ${'for it '.repeat(20)}now.`;
    expect(quoted(`Open it.\n\nClick Pair.\n\nPress it.\n\n${longer}\n\nDone.`)).toEqual([
      ['list', '- Open it.', '- Click Pair.', '- Press it.'],
      ['p', longer],
      ['p', 'Done.'],
    ]);
  });

  it('become a list of steps apart from an explanation and a heading', () => {
    const explanation = `This is what ${'pairing '.repeat(15)}means.`;
    expect(
      quoted(`${explanation}\nOpen it.\nClick Pair.\nWait for it.\nUnpair\nOpen it.\nClick Remove.\nDone.`),
    ).toEqual([
      ['p', explanation],
      ['list', '- Open it.', '- Click Pair.', '- Wait for it.'],
      ['h', 'Unpair'],
      ['list', '- Open it.', '- Click Remove.', '- Done.'],
    ]);
  });

  it('become a heading when they are a single question, and a list when they are several', () => {
    expect(quoted('Press Print.\nClick the button.\nWait.\nWhere is it?\nIn your folder.')).toEqual([
      ['list', '- Press Print.', '- Click the button.', '- Wait.'],
      ['h', 'Where is it?'],
      ['p', 'In your folder.'],
    ]);
    expect(quoted('Is it on?\nIs it paired?\nIs it near?')).toEqual([
      ['list', '- Is it on?', '- Is it paired?', '- Is it near?'],
    ]);
  });

  it('remain a paragraph where they were wrapped by hand', () => {
    const lines = [
      'The mouse is paired with the computer as soon as',
      'both of them are in range of each other and the',
      'battery is full.',
    ];
    expect(quoted(lines.join('\n'))).toEqual([['p', ...lines]]);
  });

  it('remain unchanged outside of quotes', () => {
    expect(show('To pair it:\nOpen Settings.\nClick Pair.')).toEqual([
      ['p', 'To pair it:', 'Open Settings.', 'Click Pair.'],
    ]);
  });
});
