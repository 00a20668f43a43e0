/** Compares the script tag with other chat widgets: page cost before and after opening. */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type OwnBrowser, openBrowser, type Page, quitBrowsers } from '../test/support/browser.ts';
import { startTarget } from './target.ts';

/** A widget on a page as its documentation shows; the packages in embed/ contain the files that it loads. */
type Widget = {
  name: string;
  html: (service: string) => string;
  /** The element that a visitor clicks; absent if there is nothing to open. */
  launcher?: string;
  /** The field for the visitor's question, once the widget is open. */
  field: string;
};

const widgets: readonly Widget[] = [
  // The cost of the page itself, to subtract from the others.
  { name: 'the page alone', html: () => '', field: 'h1' },
  {
    name: 'guidepost',
    html: (service) =>
      `<script src="${service}/guide.js" data-gp-app="gp_demo" data-gp-api="${service}" async></script>`,
    launcher: 'guidepost-guide .launcher',
    field: 'guidepost-guide .panel:has(.log:not([aria-busy])) textarea',
  },
  {
    name: '@docsearch/js',
    html: () => `<link rel="stylesheet" href="/@docsearch/css/dist/style.css">
      <script src="/@docsearch/js/dist/umd/index.js"></script><div id="docsearch"></div>
      <script>docsearch({ container: '#docsearch', appId: 'bench', apiKey: 'bench', indices: ['bench'] })</script>`,
    launcher: '.DocSearch-Button',
    field: '.DocSearch-Input',
  },
  {
    name: '@n8n/chat',
    html: () => `<link rel="stylesheet" href="/@n8n/chat/dist/style.css">
      <script type="module">
        import { createChat } from '/@n8n/chat/dist/chat.bundle.es.js';
        createChat({ webhookUrl: '/answers', mode: 'window' });
      </script>`,
    launcher: '.chat-window-toggle',
    field: '.chat-window textarea',
  },
  {
    name: 'deep-chat',
    html: () => `<script type="module" src="/deep-chat/dist/deepChat.bundle.js"></script>
      <deep-chat connect='{"url": "/answers"}'></deep-chat>`,
    field: 'deep-chat #text-input',
  },
  {
    name: '@typebot.io/js',
    html: () => `<script type="module">
        import Typebot from '/@typebot.io/js/dist/web.js';
        Typebot.initBubble({ typebot: 'bench', apiHost: location.origin });
      </script>`,
    launcher: 'typebot-bubble button',
    field: 'typebot-bubble input, typebot-bubble textarea',
  },
  {
    name: 'flowise-embed',
    html: () => `<script type="module">
        import Chatbot from '/flowise-embed/dist/web.js';
        Chatbot.init({ chatflowid: 'bench', apiHost: location.origin });
      </script>`,
    launcher: 'flowise-chatbot button',
    field: 'flowise-chatbot textarea',
  },
];

/** The minimal responses of the other widgets' services that let them open. */
const STUB_RESPONSES: Readonly<Record<string, unknown>> = {
  '/api/v1/typebots/bench/startChat': {
    sessionId: 'bench',
    typebot: { id: 'bench', version: '6', theme: {}, settings: {} },
    messages: [],
    input: { id: 'question', type: 'text input', options: {} },
  },
  '/api/v1/public-chatbotConfig/bench': {},
  '/api/v1/chatflows-streaming/bench': { isStreaming: false },
};

const help = `Measures chat widgets on an otherwise empty page, in the same headless Chromium, slowed down four times. The table goes to
stdout, progress to stderr. Needs dist/ (make build) and the packages of bench/embed.

  node bench/embed.ts [--runs 5] [--only NAME] [--json]
`;
const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const CPU_SLOWDOWN = 4;
const SETTLED_MILLIS = 2500;
const PACKAGES = join(import.meta.dirname, 'embed/node_modules');

type Cost = {
  requests: number;
  gzipKilobytes: number;
  scriptMillis: number;
  longTasks: number;
  longestMillis: number;
  shift: number;
};
type Run = { closed: Cost; open: Cost; openingMillis: number };

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'guidepost-bench-'));
  const pages = await servePages();
  const env = { PORT: '0', DATA_DIR: dataDir };
  const program = join(import.meta.dirname, '../dist/guidepost.js');
  const service = await startTarget('guidepost', [program, 'serve'], env, '/demo');
  const browser = await openBrowser();
  try {
    allowOrigin(program, dataDir, pages.origin);
    const address = `http://127.0.0.1:${service.port}`;
    const rows = [];
    for (const widget of widgets.filter(({ name }) => options.only === undefined || name === options.only)) {
      const runs: Run[] = [];
      // The first run warms up shared caches.
      for (let run = 0; run <= Number(options.runs); run++) {
        process.stderr.write(`${widget.name} ${run}\n`);
        const measured = await measure(browser, widget, pages, address);
        if (run > 0) runs.push(measured);
      }
      rows.push({ name: widget.name, ...medians(runs) });
    }
    process.stdout.write(options.json ? `${JSON.stringify(rows, undefined, 2)}\n` : table(rows));
  } finally {
    await quitBrowsers();
    await service.stop();
    pages.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Pages = Awaited<ReturnType<typeof servePages>>;

/** Serves one page, and the files of the packages. */
async function servePages() {
  let html = '';
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const type = { '.css': 'text/css', '.js': 'text/javascript', '.mjs': 'text/javascript' }[extname(path)];
    if (type) {
      try {
        response.setHeader('content-type', type);
        response.end(readFileSync(join(PACKAGES, path)));
      } catch {
        response.writeHead(404).end();
      }
    } else if (path in STUB_RESPONSES || path === '/answers') {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(STUB_RESPONSES[path] ?? {}));
    } else response.setHeader('content-type', 'text/html').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    show: (head: string) => {
      html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title><link rel="icon" href="data:,"></head><body><h1>A page</h1><p>Some text.</p>${head}</body></html>`;
    },
    close: () => server.close(),
  };
}

function allowOrigin(program: string, dataDir: string, origin: string): void {
  const cli = (...args: string[]) =>
    JSON.parse(
      execFileSync(process.execPath, [program, ...args, '--json'], {
        env: { PATH: process.env.PATH ?? '', DATA_DIR: dataDir },
        encoding: 'utf8',
      }),
    );
  const list = cli('workspace', 'list');
  const [workspace] = Array.isArray(list) ? list : list.workspaces;
  cli('workspace', 'set', workspace.tenant_id ?? workspace.id, '--domain', origin);
}

const WATCH = `
  const seen = { shift: 0, longTasks: 0, longestMillis: 0 };
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch('layout-shift', ({ value }) => { seen.shift += value; });
  watch('longtask', ({ duration }) => { seen.longTasks += 1; seen.longestMillis = Math.max(seen.longestMillis, duration); });
  Object.defineProperty(document, 'seen', { value: seen });
`;

async function measure(browser: OwnBrowser, widget: Widget, pages: Pages, service: string): Promise<Run> {
  const context = await browser.newContext({
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) Bench Chrome/140 Safari/537.36',
  });
  try {
    await context.addInitScript(WATCH);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send('Performance.enable');
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
    const loads = countLoads(page, pages.origin);
    const cost = async (): Promise<Cost> => {
      const { metrics } = await devtools.send('Performance.getMetrics');
      const script = metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0;
      const seen = (await page.evaluate('({ ...document.seen })')) as Pick<
        Cost,
        'shift' | 'longTasks' | 'longestMillis'
      >;
      return { ...seen, ...(await loads()), scriptMillis: script * 1000 };
    };
    pages.show(widget.html(service));
    await page.goto(pages.origin);
    await page
      .locator(widget.launcher ?? widget.field)
      .first()
      .waitFor();
    await page.waitForTimeout(SETTLED_MILLIS);
    const closed = await cost();
    const startedAt = performance.now();
    if (widget.launcher) await page.locator(widget.launcher).first().click();
    await page.locator(widget.field).first().waitFor();
    const openingMillis = widget.launcher ? performance.now() - startedAt : 0;
    await page.waitForTimeout(SETTLED_MILLIS);
    return { closed, open: await cost(), openingMillis };
  } finally {
    await context.close();
  }
}

/** Counts everything except the page itself, compressed in the same way for all widgets. */
function countLoads(page: Page, origin: string) {
  const bodies: Promise<number>[] = [];
  page.on('response', (response) => {
    if (response.url() === `${origin}/` || response.url().startsWith('data:')) return;
    bodies.push(
      response.body().then(
        (body) => gzipSync(body).length,
        () => 0,
      ),
    );
  });
  return async () => {
    const sizes = await Promise.all(bodies);
    return { requests: sizes.length, gzipKilobytes: sizes.reduce((sum, size) => sum + size, 0) / 1024 };
  };
}

function medians(runs: readonly Run[]): Run {
  const median = (getFigure: (run: Run) => number) =>
    runs.map(getFigure).sort((a, b) => a - b)[runs.length >> 1] ?? 0;
  const costs = (getCost: (run: Run) => Cost): Cost => ({
    requests: median((run) => getCost(run).requests),
    gzipKilobytes: median((run) => getCost(run).gzipKilobytes),
    scriptMillis: median((run) => getCost(run).scriptMillis),
    longTasks: median((run) => getCost(run).longTasks),
    longestMillis: median((run) => getCost(run).longestMillis),
    shift: median((run) => getCost(run).shift),
  });
  return {
    closed: costs((run) => run.closed),
    open: costs((run) => run.open),
    openingMillis: median((run) => run.openingMillis),
  };
}

function table(rows: readonly (Run & { name: string })[]): string {
  const head =
    '| widget | closed: requests | KB gzip | script ms | long tasks (longest ms) | open: requests | KB gzip | script ms | long tasks (longest ms) | CLS | ms to open |\n' +
    `|---|${'---:|'.repeat(10)}\n`;
  const costCells = (cost: Cost) => [
    cost.requests,
    cost.gzipKilobytes.toFixed(1),
    cost.scriptMillis.toFixed(0),
    `${cost.longTasks} (${cost.longestMillis.toFixed(0)})`,
  ];
  const lines = rows.map(({ name, closed, open, openingMillis }) =>
    [
      '',
      name,
      ...costCells(closed),
      ...costCells(open),
      open.shift.toFixed(3),
      openingMillis ? openingMillis.toFixed(0) : 'none to open',
      '',
    ]
      .join(' | ')
      .trim(),
  );
  return `Chromium slowed down ${CPU_SLOWDOWN} times; medians of ${options.runs} loads; figures for the open widget include what it loaded while closed.\n\n${head}${lines.join('\n')}\n`;
}

if (options.help) process.stdout.write(help);
else await main();
