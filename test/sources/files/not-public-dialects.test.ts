import { expect, it } from 'vitest';
import { readFile } from '../../../server/sources/files/read-file.ts';
import { buildDocx, paragraph } from './docx-file.ts';
import { buildZip } from './zip-file.ts';

/**
 * A small repository of each tool, with every mark by which the tool keeps a page from the public. What may not be published
 * contains the word "secret".
 */

type Files = Readonly<Record<string, string | Uint8Array>>;

const page = (front: string, text = 'A secret.') => `---\ntitle: A page\n${front}\n---\n${text}\n`;
const shown = (title: string) => `# ${title}\n\nFor everybody.\n`;
const html = (head: string, body: string) =>
  `<html lang="en"><head><title>A page</title>${head}</head><body><main><h1>A page</h1>${body}</main></body></html>`;

const REPOSITORIES: Readonly<Record<string, Files>> = {
  Docusaurus: {
    'docusaurus.config.js':
      "export default { presets: [['classic', { docs: { exclude: ['**/old/**', 'next.md'] } }]] };",
    'docs/a.md': shown('A'),
    'docs/draft.md': page('draft: true'),
    'docs/unlisted.mdx': page('unlisted: true'),
    'docs/_partial.mdx': 'A secret.',
    'docs/_parts/b.md': 'A secret.',
    'docs/old/b.md': 'A secret.',
    'docs/next.md': 'A secret.',
    'docs/robots.mdx': page('', '<head>\n  <meta name="robots" content="noindex" />\n</head>\n\nA secret.'),
    'docs/c.mdx': `${shown('C')}{/* A secret. */}\n\n<!-- A secret. -->\n`,
    'blog/2026-01-01-draft.md': page('draft: true\ndate: 2026-01-01'),
  },
  GitBook: {
    'SUMMARY.md': '# Summary\n\n* [A](README.md)\n* [Guides](guides/README.md)\n  * [B](guides/b.md "b")\n',
    'README.md': shown('A'),
    'guides/README.md': shown('Guides'),
    'guides/b.md': shown('B'),
    'guides/hidden.md': page('hidden: true'),
    'guides/unlisted.md': 'A secret.',
    '.gitbook/includes/part.md': 'A secret.',
  },
  VitePress: {
    '.vitepress/config.ts': "export default { srcExclude: ['**/README.md', 'internal/**'] }",
    'a.md': shown('A'),
    'README.md': 'A secret.',
    'internal/b.md': 'A secret.',
    'search.md': page('search: false'),
    'head.md': page('head:\n  - - meta\n    - name: robots\n      content: noindex'),
    'parts/part.md': 'A secret.',
    'c.md': `${shown('C')}\n<!--@include: ./parts/part.md-->\n\n<!-- A secret. -->\n`,
  },
  'MkDocs and Material': {
    'mkdocs.yml':
      'site_name: A\nexclude_docs: |\n  internal/\ndraft_docs: |\n  next.md\nplugins:\n  - search\n',
    'docs/a.md': shown('A'),
    'docs/internal/b.md': 'A secret.',
    'docs/next.md': 'A secret.',
    'docs/search.md': page('search:\n  exclude: true'),
    'docs/blog/posts/draft.md': page('draft: true\ndate: 2026-01-01'),
    'docs/old/.meta.yml': 'search:\n  exclude: true\n',
    'docs/old/b.md': 'A secret.',
    'includes/abbreviations.md': 'A secret.',
  },
  Hugo: {
    'hugo.toml': 'title = "A"\n',
    'content/a.md': shown('A'),
    'content/draft.md': '+++\ntitle = "A"\ndraft = true\n+++\nA secret.',
    'content/future.md': page('date: 2026-07-01'),
    'content/publish.md': page('publishDate: 2026-07-01'),
    'content/expired.md': page('expiryDate: 2026-05-01'),
    'content/headless.md': page('headless: true'),
    'content/build.md': page('build:\n  render: never'),
    'content/list.md': page('_build:\n  list: never'),
    'content/internal/_index.md': page('cascade:\n  draft: true', ''),
    'content/internal/b.md': 'A secret.',
    'content/parts/_index.md': '+++\ntitle = "A"\n[[cascade]]\n[cascade.build]\nrender = "never"\n+++\n',
    'content/parts/b.md': 'A secret.',
    'content/comment.md': `${shown('Comment')}\n{{% comment %}}\nA secret.\n{{% /comment %}}\n`,
    'archetypes/default.md': 'A secret.',
  },
  Jekyll: {
    '_config.yml':
      'title: A\nexclude:\n  - internal/\n  - README.md\ndefaults:\n  - scope:\n      path: old\n    values:\n      published: false\n',
    'a.md': shown('A'),
    'README.md': 'A secret.',
    'internal/b.md': 'A secret.',
    'old/b.md': 'A secret.',
    'unpublished.md': page('published: false'),
    'sitemap.md': page('sitemap: false'),
    'search.md': page('search_exclude: true'),
    '_posts/2026-08-01-future-name.md': 'A secret.',
    '_drafts/b.md': 'A secret.',
    '_includes/b.md': 'A secret.',
    '_posts/2026-07-01-future.md': page('date: 2026-07-01'),
    '_guides/g.md': shown('G'),
  },
  Starlight: {
    'src/content/docs/a.mdx': shown('A'),
    'src/content/docs/draft.md': page('draft: true'),
    'src/content/docs/pagefind.mdx': page('pagefind: false'),
    'src/content/docs/_part.mdx': 'A secret.',
    'src/content/docs/_parts/b.mdx': 'A secret.',
    'src/content/docs/robots.md': page(
      'head:\n  - tag: meta\n    attrs:\n      name: robots\n      content: noindex',
    ),
    'src/content/docs/c.mdx': `${shown('C')}\n{/* A secret. */}\n`,
  },
  Nextra: {
    'pages/_meta.json': '{ "a": "A", "hidden": { "title": "A", "display": "hidden" }, "*": { "theme": {} } }',
    'pages/a.mdx': shown('A'),
    'pages/hidden.mdx': 'A secret.',
    'content/_meta.js': "export default {\n  a: 'A',\n  'old-page': {\n    display: 'hidden'\n  },\n}\n",
    'content/a.mdx': shown('B'),
    'content/old-page.mdx': 'A secret.',
    'content/search.mdx': page('searchable: false'),
    'content/display.mdx': page('display: hidden'),
    'content/_part.mdx': 'A secret.',
  },
  Mintlify: {
    'docs.json':
      '{ "navigation": { "groups": [ { "group": "A", "pages": ["a", { "group": "B", "pages": ["guides/b"] }] }, { "group": "C", "hidden": true, "pages": ["guides/c"] } ] } }',
    '.mintignore': '/drafts\n*.draft.mdx\n',
    'a.mdx': shown('A'),
    'guides/b.mdx': shown('B'),
    'guides/c.mdx': 'A secret.',
    'guides/unlisted.mdx': 'A secret.',
    'hidden.mdx': page('hidden: true'),
    'noindex.mdx': page('noindex: true'),
    'snippets/part.mdx': 'A secret.',
    'drafts/d.mdx': 'A secret.',
    'e.draft.mdx': 'A secret.',
  },
  Obsidian: {
    'a.md': shown('A'),
    'private.md': page('publish: false'),
    'comment.md': `${shown('Comment')}\n%%\nA secret.\n%%\n`,
    '.obsidian/templates/b.md': 'A secret.',
  },
  'an export of Notion': {
    'A 0123456789abcdef0123456789abcdef.md': '# A\n\nStatus: Published\n\nFor everybody.\n',
    'B 1123456789abcdef0123456789abcdef.md': '# B\n\nStatus: Draft\nOwner: Ann\n\nA secret.\n',
    'C 2123456789abcdef0123456789abcdef.html': html(
      '',
      '<table class="properties"><tr><th>Status</th><td>In progress</td></tr></table><p>A secret.</p>',
    ),
  },
  'an export of Confluence': {
    'a.html': html('', '<p>For everybody.</p><div class="page-metadata">Created by secret</div>'),
    'draft.html': html('<meta name="status" content="draft">', '<p>A secret.</p>'),
    'archived.html': html('<meta name="status" content="archived">', '<p>A secret.</p>'),
  },
  'an export of WordPress': {
    'a.md': page('status: publish', 'For everybody.'),
    'draft.md': page('status: draft'),
    'private.md': page('status: private'),
    'pending.md': page('post_status: pending'),
    'future.md': page('status: future\ndate: 2026-07-01'),
    'password.html': html(
      '',
      '<form class="post-password-form" method="post"><p>This content is password protected. A secret.</p></form>',
    ),
    'robots.html': html('<meta name="robots" content="noindex, follow">', '<p>A secret.</p>'),
  },
  Word: {
    'a.docx': buildDocx(paragraph('For everybody.')),
    'draft.docx': buildDocx(paragraph('A secret.'), {
      more: {
        'docProps/core.xml':
          '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties"><cp:contentStatus>Draft</cp:contentStatus></cp:coreProperties>',
      },
    }),
    'hidden.docx': buildDocx(
      `${paragraph('For everybody.')}<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>A secret.</w:t></w:r></w:p>`,
    ),
  },
  CSV: {
    'status.csv': 'title,answer,status\nA,For everybody.,published\nB,A secret.,draft\n',
    'bool.csv': 'title,answer,published\nA,For everybody.,TRUE\nB,A secret.,FALSE\n',
    'visibility.csv': 'title;answer;visibility\nA;For everybody.;public\nB;A secret.;internal\n',
    'date.csv': 'title,answer,publish_at\nA,For everybody.,2026-01-01\nB,A secret.,2026-07-01\n',
    'hidden.csv': 'title,answer,hidden\nA,For everybody.,\nB,A secret.,x\n',
    'archived.csv': 'title,answer,archived\nA,For everybody.,no\nB,A secret.,yes\n',
  },
};

const SECRET = /secret/i;

it.each(Object.entries(REPOSITORIES))(
  'nothing that %s keeps from the public is published, and all of it is listed',
  async (_, files) => {
    const names = Object.keys(files);
    const { documents, skipped } = await readFile(
      { name: 'a.zip', bytes: buildZip(names.map((name) => ({ name, content: files[name]! }))) },
      { sourceLocale: 'en', nowMillis: Date.parse('2026-06-01'), signal: new AbortController().signal },
    );
    const published = documents.map(({ place }) => place);
    expect(documents.filter(({ title, answer }) => SECRET.test(`${title} ${answer}`))).toEqual([]);
    expect(published.length).toBeGreaterThan(0);

    // Every page, and every row of a table, is an article or a refusal.
    const pages = names.filter((name) => /\.(?:mdx?|html|docx|csv)$/.test(name) && !/(?:^|\/)\./.test(name));
    const rows = pages.filter((name) => name.endsWith('.csv'));
    const refused = skipped.filter(({ place }) => pages.some((name) => place.startsWith(`a.zip/${name}`)));
    expect(documents.length + refused.length).toBe(pages.length + rows.length);
    const isHidden = ({ reason, place }: (typeof skipped)[number]) =>
      reason === 'draft' || (reason === 'no_index' && place.endsWith('.html'));
    expect(refused.filter((each) => !isHidden(each))).toEqual([]);
  },
);
