import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ArticleRecord, ArticleSummary } from '../../../contract/articles.ts';
import { type Harness, openHarness } from '../../support/harness.ts';
import { joinAs, type MemberClient } from '../../support/team.ts';
import { openSource, type SourceClient } from '../source-client.ts';
import {
  block,
  type FakeBlock,
  type FakeNotion,
  type FakePage,
  newNotionId,
  rich,
  serveNotion,
  textBlock,
  titled,
} from './fake-notion.ts';

const TOKEN = 'ntn_00000000000000000000000000000000000000000000';

let harness: Harness;
let member: MemberClient;
let notion: FakeNotion;
let source: SourceClient;
beforeEach(async () => {
  notion = await serveNotion({ pages: [], token: TOKEN });
  harness = await openHarness({ articles: [], notionUrl: notion.origin });
  member = await joinAs(harness, harness.workspace, 'owner');
  const settings = { type: 'notion', name: 'Wiki', apiToken: TOKEN };
  source = await openSource('publish', { harness, member, settings });
});
afterEach(() => harness.close());

const page = (title: string, blocks: readonly FakeBlock[], rest: Partial<FakePage> = {}): FakePage => ({
  id: newNotionId(),
  properties: titled(title),
  blocks,
  ...rest,
});
const paragraph = (text: string) => textBlock('paragraph', text);
const placeOf = ({ id }: FakePage) => `https://www.notion.so/${id.replaceAll('-', '')}`;

const listArticles = async () =>
  (await member.get<{ data: ArticleSummary[] }>('/knowledge/articles?limit=200')).json.data;
const readArticle = async (title: string) => {
  const found = (await listArticles()).find((each) => each.title === title);
  return (await member.get<ArticleRecord>(`/knowledge/articles/${found!.id}`)).json;
};
/** Imports one page and returns its answer. */
async function importBlocks(...blocks: readonly FakeBlock[]): Promise<string> {
  notion.shared.pages = [page('Lamp', blocks)];
  expect(await source.run()).toMatchObject({ state: 'done', counts: { added: 1 } });
  return (await readArticle('Lamp')).answer;
}

describe('the blocks of a page', () => {
  it('become paragraphs, headings, lists in lists and code', async () => {
    const answer = await importBlocks(
      block('paragraph', {
        rich_text: rich(
          'Wipe it with a ',
          { text: 'dry', bold: true },
          ' cloth, see ',
          { text: 'care', href: 'https://shop.example.com/care' },
          {
            text: ' or water',
            strikethrough: true,
          },
          '.',
        ),
      }),
      block('heading_1', { rich_text: rich('Steps'), is_toggleable: false }),
      textBlock('numbered_list_item', 'Unplug it.'),
      textBlock('numbered_list_item', 'Wipe it:', [
        textBlock('bulleted_list_item', 'the shade'),
        textBlock('bulleted_list_item', 'the foot'),
      ]),
      block('to_do', { rich_text: rich('Plug it in.'), checked: true }),
      block('code', { rich_text: rich('lamp --on\nlamp --off'), language: 'shell', caption: [] }),
    );
    expect(answer).toBe(
      [
        'Wipe it with a **dry** cloth, see [care](https://shop.example.com/care).',
        '## Steps',
        '1. Unplug it.\n\n2. Wipe it:\n\n   - the shade\n   - the foot',
        '- ☑ Plug it in.',
        '```shell\nlamp --on\nlamp --off\n```',
      ].join('\n\n'),
    );
  });

  it('become quotes for callouts, bold lines for toggles, and tables', async () => {
    const cells = (...texts: readonly string[]) =>
      block('table_row', { cells: texts.map((text) => rich(text)) });
    const answer = await importBlocks(
      block('callout', { rich_text: rich('Let it cool first.'), icon: { type: 'emoji', emoji: '🔥' } }),
      textBlock('toggle', 'Is it dimmable?', [paragraph('Yes, in three steps.')]),
      block('table', { table_width: 2, has_column_header: true, has_row_header: false }, [
        cells('Part', 'Price'),
        cells('Bulb', '4 €'),
      ]),
      block('column_list', {}, [
        block('column', {}, [paragraph('Left column.')]),
        block('column', {}, [paragraph('Right column.')]),
      ]),
      block('image', {
        type: 'file',
        file: { url: 'https://files.example/expires', expiry_time: '2026-01-01T01:00:00.000Z' },
        caption: rich('The lamp from below'),
      }),
      block('bookmark', { url: 'https://shop.example.com/lamps', caption: [] }),
    );
    expect(answer).toBe(
      [
        '> 🔥 Let it cool first.',
        '**Is it dimmable?**',
        'Yes, in three steps.',
        '| Part | Price |\n| - | - |\n| Bulb | 4 € |',
        'Left column.',
        'Right column.',
        'The lamp from below',
        '[https://shop.example.com/lamps](https://shop.example.com/lamps)',
      ].join('\n\n'),
    );
  });

  it('are read from the original where they are synced, and not where it is not shared', async () => {
    const original = block('synced_block', { synced_from: null }, [paragraph('Two years of warranty.')]);
    notion.shared.pages = [page('Warranty', [original])];
    const copy = (id: string) =>
      ({
        ...block('synced_block', { synced_from: { type: 'block_id', block_id: id } }),
        has_children: true,
      }) as FakeBlock;
    notion.shared.pages.push(
      page('Lamp', [paragraph('About the lamp.'), copy(original.id), copy(newNotionId())]),
    );
    await source.run();
    expect((await readArticle('Lamp')).answer).toBe('About the lamp.\n\nTwo years of warranty.');
  });

  it('are read page by page', async () => {
    const answer = await importBlocks(...Array.from({ length: 230 }, (_, at) => paragraph(`Line ${at}.`)));
    expect(answer.split('\n\n')).toHaveLength(230);
  });
});

describe('the properties of a page', () => {
  const select = (type: 'select' | 'status', name: string) => ({
    id: 'x',
    type,
    [type]: { id: 'y', name, color: 'gray' },
  });

  it.each([
    ['Status', select('status', 'In progress')],
    ['Status', select('select', 'Draft')],
    ['Published', { id: 'x', type: 'checkbox', checkbox: false }],
    ['Publish date', { id: 'x', type: 'date', date: { start: '2199-01-01', end: null, time_zone: null } }],
  ])('keep a page out by %s', async (name, property) => {
    const hidden = page('Prices', [paragraph('The lamp will cost 40 euros.')], {
      properties: titled('Prices', { [name]: property }),
    });
    notion.shared.pages = [hidden, page('Lamp', [paragraph('About the lamp.')])];
    const { id } = await source.run();
    expect(await source.reasons(id)).toStrictEqual([{ reason: 'draft', count: 1 }]);
    expect((await source.items(id)).find(({ outcome }) => outcome === 'refused')).toMatchObject({
      place: placeOf(hidden),
    });
    expect(await listArticles()).toHaveLength(1);
  });

  it('are tags, language, address and collection where they fit', async () => {
    const dataSource = newNotionId();
    notion.shared.dataSources = [{ id: dataSource, title: 'Help' }];
    const properties = titled('Die Lampe', {
      Status: select('status', 'Done'),
      Tags: { id: 't', type: 'multi_select', multi_select: [{ id: 'a', name: 'light', color: 'red' }] },
      Language: select('select', 'de'),
    });
    const publicUrl = 'https://shop.notion.site/Die-Lampe-1';
    notion.shared.pages = [
      page('', [paragraph('Wischen Sie die Lampe trocken ab.')], { properties, dataSource, publicUrl }),
    ];
    await source.run();
    expect(await readArticle('Die Lampe')).toMatchObject({ locale: 'de', url: publicUrl, tags: ['light'] });
    expect((await member.get('/knowledge/collections')).json).toMatchObject({ data: [{ name: 'Help' }] });
  });
});

describe('a later run', () => {
  it('reads only pages that were edited, and unpublishes what is in the trash, a draft or not shared any more', async () => {
    const [lamp, desk, chair] = ['Lamp', 'Desk', 'Chair'].map((title) =>
      page(title, [paragraph(`About the ${title}.`)]),
    );
    notion.shared.pages = [lamp!, desk!, chair!];
    await source.run();
    notion.requests.length = 0;
    expect((await source.run()).counts).toMatchObject({ unchanged: 3 });
    expect(notion.requests.filter(({ path }) => path.includes('/blocks/'))).toStrictEqual([]);
    notion.shared.pages = [
      { ...lamp!, editedAt: '2026-02-01T00:00:00.000Z', blocks: [paragraph('About the new lamp.')] },
      { ...desk!, inTrash: true },
    ];
    expect((await source.run()).counts).toMatchObject({ changed: 1, removed: 2, unchanged: 0 });
  });

  it('keeps a page that search does not list', async () => {
    notion.shared.pages = [page('Lamp', [paragraph('About the lamp.')])];
    await source.run();
    notion.shared.pages[0]!.isUnlisted = true;
    expect((await source.run()).counts).toMatchObject({ removed: 0, unchanged: 1 });
  });

  it('reads pages inside of pages', async () => {
    const inner = page('Bulbs', [paragraph('About bulbs.')], { isUnlisted: true });
    const outer = [paragraph('About the lamp.'), block('child_page', { title: 'Bulbs' }, [], inner.id)];
    notion.shared.pages = [page('Lamp', outer), inner];
    expect((await source.run()).counts).toMatchObject({ added: 2 });
  });
});

it('waits when the service asks for that, and lists more than a hundred pages', async () => {
  notion.shared.tooMany = 2;
  notion.shared.pages = Array.from({ length: 12 }, (_, at) =>
    page(`Part ${at}`, [paragraph(`About part ${at}.`)]),
  );
  expect((await source.run()).counts).toMatchObject({ added: 12 });
});

it('fails when the token is not accepted', async () => {
  notion.shared.token = 'ntn_revoked';
  expect(await source.run()).toMatchObject({ state: 'failed', failure: { reason: 'not_authorized' } });
});

it('requires a token', async () => {
  const response = await member.post('/knowledge/sources', { type: 'notion', name: 'Wiki', mode: 'review' });
  expect(response.json).toMatchObject({ issues: [{ path: 'body.apiToken', code: 'missing_token' }] });
});
