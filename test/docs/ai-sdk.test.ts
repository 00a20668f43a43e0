import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatRequest } from '../../generated/types.ts';
import { COMPILER } from '../../scripts/pack-client.ts';
import { type Engine, EngineFailure } from '../../server/engine/engine.ts';
import { type OwnBrowser, openBrowser, type Page } from '../support/browser.ts';
import { type Harness, openHarness, USER_AGENT } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';
import { openWebsite, type Website } from '../support/website.ts';

/** The front end of docs/ai-sdk.md in a browser: `useChat` of the AI SDK, on a page of another origin. */

const ROOT = join(import.meta.dirname, '../..');
const run = promisify(execFile);

const ENTRY = `
import { createRoot } from 'react-dom/client';
import { Guide } from './guide.tsx';

const { baseUrl, appId } = Object.fromEntries(new URLSearchParams(location.search)) as Record<string, string>;
const carryOut = () => 'done' as const;
createRoot(document.querySelector('main')!).render(<Guide baseUrl={baseUrl!} appId={appId!} run={carryOut} />);
`;

/** Writes a folder with the code block of the page, which finds the packages of the tests. */
function writeProject(): string {
  const folder = tempDir();
  const page = readFileSync(join(ROOT, 'docs/ai-sdk.md'), 'utf8');
  const [, code] = /^```tsx\n([\s\S]*?)^```$/m.exec(page)!;
  writeFileSync(join(folder, 'guide.tsx'), code!);
  writeFileSync(join(folder, 'entry.tsx'), ENTRY);
  symlinkSync(join(ROOT, 'test/node_modules'), join(folder, 'node_modules'));
  const settings = {
    extends: join(ROOT, 'client/tsconfig.json'),
    compilerOptions: { module: 'esnext', moduleResolution: 'bundler' },
    include: [folder],
    exclude: ['node_modules'],
  };
  // Under the name tsconfig.json, the bundler would apply its paths to the type packages.
  writeFileSync(join(folder, 'types.json'), JSON.stringify(settings));
  return folder;
}

async function bundle(folder: string): Promise<string> {
  const built = await rolldown({
    input: join(folder, 'entry.tsx'),
    logLevel: 'silent',
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
  });
  const { output } = await built.generate({ format: 'iife' });
  await built.close();
  return output[0].code;
}

/** Returns an engine that quotes its first passage and proposes a page. Some questions make it fail or wait once. */
function createEngine(): Engine {
  const interrupted = new Set<string>();
  return {
    name: 'scripted',
    async *answer({ text, passages: [passage] }, signal) {
      const [quote] = passage?.quotes ?? [];
      if (!passage || !quote) throw new Error(`found nothing for ${text}`);
      yield { type: 'text', delta: quote.text };
      yield { type: 'citation', passage, quote: quote.text, start: 0, end: quote.text.length };
      if (text.includes('slowly') && !interrupted.has(text)) {
        interrupted.add(text);
        await new Promise((hungUp) => signal.addEventListener('abort', hungUp));
        return;
      }
      if (text.includes('unluckily')) throw new EngineFailure('the provider hung up');
      yield { type: 'text', delta: ' That is all.' };
      yield {
        type: 'action',
        kind: 'navigate',
        url: '/account',
        label: 'Open your account',
        reason: 'It is there.',
      };
      yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 0, outputTokens: 0 } };
    },
  };
}

describe('the front end of docs/ai-sdk.md', () => {
  let folder: string;
  let harness: Harness;
  let browser: OwnBrowser;
  let site: Website;
  let address: string;

  beforeAll(async () => {
    folder = writeProject();
    const script = await bundle(folder);
    const page = '<!doctype html><title>A shop</title><main></main><script src="/script.js"></script>';
    const headers = { 'content-type': 'text/javascript; charset=utf-8' };
    site = await openWebsite((path) => (path === '/script.js' ? { headers, body: script } : page));
    harness = await openHarness({ engine: createEngine(), settings: { allowedOrigins: [site.origin] } });
    browser = await openBrowser();
    address = `${site.origin}/?${new URLSearchParams({ baseUrl: harness.baseUrl, appId: harness.appId })}`;
  });
  afterAll(async () => {
    await browser.close();
    await harness.close();
    await site.close();
  });

  /** Opens the page for a new visitor, and records the turns that it sends. */
  async function open() {
    const page = await browser.newPage({ userAgent: USER_AGENT });
    const turns: ChatRequest[] = [];
    const pageErrors: string[] = [];
    page.on('pageerror', ({ message }) => pageErrors.push(message));
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().includes('/chat?')) turns.push(request.postDataJSON());
    });
    await page.goto(address);
    return { page, turns, pageErrors };
  }

  async function ask(page: Page, text: string): Promise<void> {
    const field = page.getByLabel('Question');
    await field.fill(text);
    await field.press('Enter');
  }

  const answer = (page: Page) => page.locator('[data-role=assistant]').last();

  it('passes the type check', async () => {
    await run(COMPILER, ['-p', join(folder, 'types.json')]).catch(({ stdout }) => {
      throw new Error(stdout);
    });
  });

  it('shows text and sources, and sends the outcome of an action with the next question', async () => {
    const { page, turns, pageErrors } = await open();
    await ask(page, 'How do I reset my password?');
    await answer(page).getByText('That is all.').waitFor();
    expect(await answer(page).getByRole('link').getAttribute('href')).toMatch(/^https:/);
    await answer(page).getByRole('button', { name: 'Open your account' }).click();
    await answer(page).getByRole('button').waitFor({ state: 'detached' });
    await ask(page, 'For how long does the link work?');
    await page.getByText('That is all.').nth(1).waitFor();
    expect(turns.map(({ turn_idx }) => turn_idx)).toEqual([0, 1]);
    expect(turns[1]!.conversation_id).toBe(turns[0]!.conversation_id);
    expect(turns[1]!.action_results).toEqual([{ action_id: 'act_1', outcome: 'done' }]);
    expect(pageErrors).toEqual([]);
  });

  it('shows an error of the answer and keeps its text', async () => {
    const { page } = await open();
    await ask(page, 'How do I unluckily reset my password?');
    await page.getByRole('alert').waitFor();
    expect(await answer(page).locator('p').count()).toBe(1);
  });

  it('resumes an answer after a broken connection', async () => {
    const { page, turns } = await open();
    await ask(page, 'How do I slowly reset my password?');
    await answer(page).getByRole('link').waitFor();
    harness.service.server.closeAllConnections();
    await page.getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Continue' }).click();
    await answer(page).getByText('That is all.').waitFor();
    expect(await page.locator('[data-role=assistant]').count()).toBe(1);
    expect(await answer(page).getByRole('link').count()).toBe(1);
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(turns[1]).toEqual(turns[0]);
  });
});
