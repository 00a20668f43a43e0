import { deflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { FileContents } from '../../../server/sources/document.ts';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { buildDocx, heading, paragraph } from './docx-file.ts';
import { buildPdf } from './pdf-file.ts';
import { buildZip } from './zip-file.ts';

/** What its own tool marks as not public is not published. */

const NOW = Date.parse('2026-06-01');
const { signal } = new AbortController();
const read = (name: string, content: string | Uint8Array): Promise<FileContents> =>
  readFile(
    { name, bytes: Buffer.from(content as Uint8Array) },
    { sourceLocale: 'en', signal, nowMillis: NOW },
  );

describe('Markdown', () => {
  it.each([
    ['draft: true'],
    ['draft: yes'],
    ['Draft: "true"'],
    ['published: false'],
    ['publish: no'],
    ['unlisted: true'],
    ['hidden: true'],
    ['noindex: true'],
    ['pagefind: false'],
    ['search:\n  exclude: true'],
    ['search_exclude: true'],
    ['build:\n  render: never'],
    ['_build:\n  list: never'],
    ['status: draft'],
    ['status: In review'],
    ['visibility: private'],
    ['state: Entwurf'],
    ['date: 2026-07-01'],
    ['publishDate: 2026-07-01T10:00:00Z'],
    ['expiryDate: 2026-05-01'],
    ['params:\n  draft: true'],
    ['seo:\n  robots: noindex, follow'],
    ['head:\n  - - meta\n    - name: robots\n      content: noindex'],
    ['permalink: false'],
  ])('with %j is not published', async (front) => {
    const { documents, skipped } = await read('a.md', `---\ntitle: Plan\n${front}\n---\nThe price falls.`);
    expect(documents).toEqual([]);
    expect(skipped).toMatchObject([{ place: 'a.md', reason: 'draft' }]);
  });

  it.each([
    ['TOML', '+++\ntitle = "Plan"\ndraft = true\n+++\nText.'],
    ['JSON', '{ "title": "Plan", "draft": true }\n\nText.'],
    ['MDX', '---\ndraft: true\n---\nText.'],
  ])('with a mark in %s is not published', async (_, content) => {
    expect((await read('a.mdx', content)).skipped).toMatchObject([{ reason: 'draft' }]);
  });

  it.each([
    ['draft: false'],
    ['published: true'],
    ['status: published'],
    ['status: new'],
    ['hide:\n  - toc'],
    ['sidebar:\n  hidden: true'],
    ['date: 2020-01-01'],
    ['expires: 2030-01-01'],
    ['hidden:'],
  ])('with %j is published', async (front) => {
    const { documents } = await read('a.md', `---\ntitle: Plan\n${front}\n---\nThe price falls.`);
    expect(documents).toHaveLength(1);
  });

  it('leaves out parts of pages, templates of new pages, and lists of pages', async () => {
    const names = [
      '_part.md',
      '_partials/a.md',
      'snippets/a.mdx',
      'archetypes/a.md',
      'SUMMARY.md',
      '_index.md',
      'a.md',
    ];
    const { documents, skipped } = await read(
      'help.zip',
      buildZip(names.map((name) => ({ name, content: `# ${name}\n\nText.` }))),
    );
    expect(documents.map(({ place }) => place).sort()).toEqual(['help.zip/_index.md', 'help.zip/a.md']);
    expect(skipped.every(({ reason }) => reason === 'draft')).toBe(true);
    expect(skipped).toHaveLength(5);
  });

  it('publishes the folders of collections of Jekyll', async () => {
    const files = [
      { name: '_config.yml', content: 'title: x' },
      { name: '_guides/a.md', content: '# A\n\nText.' },
      { name: '_drafts/b.md', content: '# B\n\nText.' },
    ];
    const { documents } = await read('site.zip', buildZip(files));
    expect(documents.map(({ title }) => title)).toEqual(['A']);
  });
});

describe('a table', () => {
  it('leaves out rows that a column marks, and converts the HTML of the others', async () => {
    const { documents, skipped } = await read(
      'intercom.csv',
      'Title,Body,State,Locale\nReturning,<p>Send it <b>back</b>.</p><ul><li>Box</li></ul>,published,en_US\nSecret,<p>secret</p>,draft,en\n',
    );
    expect(documents).toMatchObject([
      { title: 'Returning', answer: 'Send it **back**.\n\n- Box', locale: 'en-US' },
    ]);
    expect(skipped).toMatchObject([
      { place: 'intercom.csv#secret', reason: 'draft', detail: 'State: draft' },
    ]);
  });

  it('of JSON lines leaves out lines that a field marks', async () => {
    const line = { slug: 'a', locale: 'en', title: 'A', answer: 'Text.', draft: true };
    const { skipped } = await read('faq.jsonl', JSON.stringify(line));
    expect(skipped).toMatchObject([{ place: 'faq.jsonl#a', reason: 'draft' }]);
  });
});

describe('HTML', () => {
  const page = (head: string, body: string) =>
    `<html lang="en"><head><title>Plan</title>${head}</head><body><main><h1>Plan</h1><p>This is what everybody may read about it.</p>${body}</main></body></html>`;

  it.each([
    ['is not yet due', '<meta property="article:published_time" content="2026-07-01T00:00:00Z">'],
    ['has expired', '<meta property="article:expiration_time" content="2026-05-01">'],
  ])('that %s is not published', async (_, head) => {
    expect((await read('a.html', page(head, ''))).skipped).toMatchObject([{ reason: 'draft' }]);
  });

  it('that is a template is not published', async () => {
    expect((await read('a.html', page('', '{% block content %}{% endblock %}'))).skipped).toMatchObject([
      { reason: 'draft' },
    ]);
  });

  it('loses what its own format hides', async () => {
    const { documents } = await read(
      'a.html',
      page(
        '',
        '<p data-pagefind-ignore>secret</p><p data-nosnippet>secret</p><p style="mso-hide:all">secret</p><!-- secret -->',
      ),
    );
    expect(documents[0]!.answer).not.toContain('secret');
  });
});

it('a Word document loses hidden runs, styles and rows', async () => {
  const run = (properties: string, text: string) =>
    `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`;
  const styles =
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="character" w:styleId="Ghost"><w:name w:val="Ghost"/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>';
  const { documents } = await read(
    'a.docx',
    buildDocx(
      heading(1, 'Plan') +
        paragraph('This is what everybody may read about the plan.') +
        `<w:p>${run('<w:vanish/>', 'secret')}${run('<w:vanish w:val="0"/>', 'shown')}${run('<w:rStyle w:val="Ghost"/>', 'secret')}</w:p>` +
        `<w:tbl><w:tr><w:tc>${paragraph('seen')}</w:tc><w:tc>${paragraph('cell')}</w:tc></w:tr><w:tr><w:trPr><w:hidden/></w:trPr><w:tc>${paragraph('secret')}</w:tc><w:tc>${paragraph('x')}</w:tc></w:tr></w:tbl>`,
      { more: { 'word/styles.xml': styles } },
    ),
  );
  expect(documents[0]!.answer).toContain('shown');
  expect(documents[0]!.answer).toContain('seen');
  expect(documents[0]!.answer).not.toContain('secret');
});

describe('a PDF', () => {
  const toPdf = (lines: string) =>
    buildPdf([[]], { content: deflateSync(`BT /F1 10 Tf 72 700 Td ${lines} ET`) });

  it('loses text that it does not show', async () => {
    const { documents } = await read(
      'a.pdf',
      toPdf(
        '(Shown first.) Tj 0 -14 Td 3 Tr (secret words) Tj 0 Tr 0 -14 Td (Shown last.) Tj 0 -900 Td (secret below) Tj',
      ),
    );
    expect(documents[0]!.answer).toBe('Shown first.\n\nShown last.');
  });

  it('loses white text on paper, and keeps it on an image', async () => {
    const image = 'q 300 0 0 40 60 640 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \0 EI Q';
    const text =
      'BT /F1 10 Tf 72 700 Td (Shown first.) Tj 1 g 0 -14 Td (secret words) Tj 0 -36 Td (Shown on it.) Tj ET';
    const { documents } = await read('a.pdf', buildPdf([[]], { content: deflateSync(`${image} ${text}`) }));
    expect(documents[0]!.answer).toBe('Shown first.\n\nShown on it.');
  });

  it('keeps the text that was recognized in a scan', async () => {
    const { documents } = await read('a.pdf', toPdf('3 Tr (Recognized words.) Tj'));
    expect(documents[0]!.answer).toBe('Recognized words.');
  });
});
