import { afterEach, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../contract/articles.ts';
import type { SourceRecord } from '../../contract/sources.ts';
import { textOf } from '../support/harness.ts';
import { expectError } from '../support/response.ts';
import { buildPdf, type PdfLine } from './files/pdf-file.ts';
import { buildZip } from './files/zip-file.ts';
import { openSource, type SourceClient } from './source-client.ts';

let open: SourceClient[] = [];
afterEach(async () => {
  await Promise.all(open.map(({ harness }) => harness.close()));
  open = [];
});

const BASE = 'https://shop.example.com/manuals';

const setBase = (source: SourceClient, baseUrl: string | undefined) => {
  const files = baseUrl === undefined ? {} : { files: { baseUrl } };
  return source.member.put<SourceRecord>(source.path, { name: 'Manual', mode: 'publish', ...files });
};

async function openFiles(baseUrl?: string): Promise<SourceClient> {
  const source = await openSource('publish');
  open.push(source);
  if (baseUrl !== undefined) expect((await setBase(source, baseUrl)).status).toBe(200);
  return source;
}

const listArticles = async ({ member, id, call }: SourceClient) =>
  (await call<{ data: ArticleSummary[] }>(member.get(`/knowledge/articles?source=${id}`))).data;
const readArticle = async (source: SourceClient, title: string) => {
  const found = (await listArticles(source)).find((article) => article.title === title);
  return source.call<ArticleRecord>(source.member.get(`/knowledge/articles/${found!.id}`));
};

/** Asks a visitor's question and returns the citation of the answer. */
async function ask({ harness }: SourceClient, message: string) {
  const { jwt } = await harness.boot();
  const events = await harness.ask(jwt, { message }, { 'accept-language': 'en' });
  const urls = events.flatMap((event) => (event.type === 'citation' ? [event.url] : []));
  return { text: textOf(events), urls };
}

const line = (text: string): PdfLine => [10, text];
/** Filler lines that do not mention lamps. */
const filler = (subject: string) =>
  Array.from({ length: 40 }, (_, at) => line(`Sentence ${at} of this page is about nothing but ${subject}.`));

/** A cover, a chapter on pages 2 and 3, and one on page 4. */
const buildManual = () =>
  buildPdf(
    [
      [[24, 'Lamp manual']],
      [[16, 'Cleaning'], line('Unplug the brass lamp before you clean it.'), ...filler('boxes')],
      [line('The brass lamp is polished with lemon juice.'), ...filler('parcels')],
      [[16, 'Warranty'], line('The warranty covers the lamp for seven years.'), ...filler('stamps')],
    ],
    {
      outline: [
        { title: 'Cleaning', page: 2 },
        { title: 'Warranty', page: 4 },
      ],
    },
  );

const buildZipped = () =>
  new Uint8Array(buildZip([{ name: 'lamps/brass (old).pdf', content: buildManual() }]));
const ADDRESS = `${BASE}/lamps/brass%20%28old%29.pdf`;

describe('a source of files with a web address', () => {
  it('makes citations of a PDF link to its page', async () => {
    const source = await openFiles(BASE);
    expect(await source.read()).toMatchObject({ files: { baseUrl: `${BASE}/` } });
    await source.upload('manuals.zip', buildZipped());
    expect(await source.run()).toMatchObject({ state: 'done', counts: { refused: 0 } });
    expect(await readArticle(source, 'Warranty')).toMatchObject({ url: `${ADDRESS}#page=4` });

    expect((await ask(source, 'How long is the warranty of the lamp?')).urls).toContain(`${ADDRESS}#page=4`);
    const polish = await ask(source, 'What is the brass lamp polished with?');
    expect(polish.text).toContain('lemon juice');
    expect(polish.text).not.toContain('#page');
    expect(polish.urls).toContain(`${ADDRESS}#page=3`);
  });

  it('updates the addresses of articles when the files are uploaded again after a change, and keeps their text', async () => {
    const source = await openFiles(BASE);
    await source.upload('manual.pdf', new Uint8Array(buildManual()));
    await source.upload('lamp.md', '# Lamp\n\nThe lamp needs a bulb.');
    await source.upload('lamp.de.md', '# Lampe\n\nDie Lampe braucht eine Birne.');
    await source.run();
    const before = await readArticle(source, 'Cleaning');
    expect(before.url).toBe(`${BASE}/manual.pdf#page=2`);

    await setBase(source, 'https://files.example.com/');
    await source.upload('manual.pdf', new Uint8Array(buildManual()));
    await source.upload('lamp.md', '# Lamp\n\nThe lamp needs a bulb.');
    expect((await source.run()).counts).toMatchObject({ added: 0, changed: 3, conflicts: 0, removed: 0 });
    const after = await readArticle(source, 'Cleaning');
    expect(after).toMatchObject({
      url: 'https://files.example.com/manual.pdf#page=2',
      answer: before.answer,
    });
    expect((await readArticle(source, 'Lamp')).translations).toMatchObject([{ locale: 'de', stale: false }]);
    const { urls } = await ask(source, 'What is the brass lamp polished with?');
    expect(urls).toContain('https://files.example.com/manual.pdf#page=3');

    await setBase(source, undefined);
    await source.upload('manual.pdf', new Uint8Array(buildManual()));
    await source.run();
    expect(await source.read()).not.toHaveProperty('files');
    expect(await readArticle(source, 'Cleaning')).not.toHaveProperty('url');
  });

  it('links articles of files that are not PDFs to their file, unless they state a URL', async () => {
    const source = await openFiles(`${BASE}/`);
    await source.upload('note.txt', 'Opening hours\n\nWe are open from nine to five.');
    await source.upload('desk.md', '---\ntitle: Desk\nurl: https://shop.example.com/desk\n---\nIt is oak.');
    const steps =
      '<h2 id="steps">Steps</h2><p>Send the parcel back to us.</p><a href="forms/a.html">Form</a>';
    await source.upload('help.html', `<title>Returns</title><main><p>You may return it.</p>${steps}</main>`);
    await source.upload('list.csv', 'title,answer\nPaying,By card.');
    await source.run();
    for (const [title, url] of [
      ['Desk', 'https://shop.example.com/desk'],
      ['Opening hours', `${BASE}/note.txt`],
      ['Paying', undefined],
      ['Returns', `${BASE}/help.html`],
    ] as const)
      expect((await readArticle(source, title)).url, title).toBe(url);
    const { answer } = await readArticle(source, 'Returns');
    expect(answer).toContain(`## [Steps](${BASE}/help.html#steps)`);
    expect(answer).toContain(`[Form](${BASE}/forms/a.html)`);
  });

  it('creates no link to anything outside of the folder at its address', async () => {
    const source = await openFiles(BASE);
    await source.upload('../secret.txt', 'Secret\n\nNobody links to it.');
    await source.upload('https://evil.example/a?b#c.txt', 'Strange\n\nA file with a strange name.');
    await source.run();
    expect(await readArticle(source, 'Secret')).not.toHaveProperty('url');
    expect(await readArticle(source, 'Strange')).toMatchObject({
      url: `${BASE}/https%3A//evil.example/a%3Fb%23c.txt`,
    });
  });

  it('rejects an address that is not a folder on the web, or is set for a website', async () => {
    const source = await openFiles();
    for (const baseUrl of [
      'http://shop.example.com/',
      'javascript:alert(1)',
      'https://',
      'https://user:password@shop.example.com/',
      'https://shop.example.com/?a=',
      'https://shop.example.com/#a',
      `https://shop.example.com/${'ü'.repeat(1000)}`,
    ])
      expectError(await setBase(source, baseUrl), 'request/invalid');
    const website = (startUrl: string) => ({
      ...{ name: 'Shop', type: 'website', mode: 'review', website: { startUrls: [startUrl] } },
    });
    const create = (body: object) => source.member.post('/knowledge/sources', body);
    expectError(await create({ ...website(BASE), files: { baseUrl: BASE } }), 'request/invalid');
    expectError(await create(website(`${BASE}/${'ü'.repeat(1000)}`)), 'request/invalid');
    expect(await source.read()).not.toHaveProperty('files');
  });
});
