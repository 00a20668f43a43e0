import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ImageRecord, ListedImage } from '../../../contract/images.ts';
import { IMAGE_LIMITS } from '../../../contract/limits/images.ts';
import { createComment, createJpeg, createPng, toForm } from '../../support/image-files.ts';
import { query } from '../../support/other-program.ts';
import { expectError } from '../../support/response.ts';
import { openTeam, type Team } from '../../support/team.ts';

let team: Team;
beforeAll(async () => {
  team = await openTeam();
});
afterAll(() => team.close());

const upload = (file: Buffer, name = 'checkout.png') =>
  team
    .as('admin')
    .upload<ImageRecord>(`/images?name=${encodeURIComponent(name)}`, toForm(new Uint8Array(file), name));
const get = (path: string, headers: Record<string, string> = {}) => team.harness.fetch(path, { headers });

describe('images of a workspace', () => {
  it('are stored and listed newest first, with who uploaded them', async () => {
    const first = await upload(createPng(640, 480));
    const second = await upload(createPng(641, 480), 'Übersicht.png');
    expect(first.status, first.text).toBe(201);
    expect(first.json).toMatchObject({
      mediaType: 'image/png',
      width: 640,
      height: 480,
      name: 'checkout.png',
    });
    expect(first.json.url).toBe(`/images/${first.json.id}`);
    const { json } = await team.as('member').get<{ data: ImageRecord[] }>('/images');
    const unused = { usedBy: 0, uses: [] };
    expect(json.data).toEqual([
      { ...second.json, ...unused },
      { ...first.json, ...unused },
    ]);
    expect(second.json.createdBy).toBe(team.as('admin').memberId);
    expect(second.json.name).toBe('Übersicht.png');
  });

  it('are stored once, however often a file is uploaded', async () => {
    const { json } = await upload(createPng(10, 10));
    expect((await upload(createPng(10, 10), 'again.png')).json).toEqual(json);
    // The comment is not part of the picture.
    const plain = await upload(createJpeg(10, 10));
    expect((await upload(createJpeg(10, 10, createComment('taken at home')))).json).toEqual(plain.json);
  });

  it('are neither listed nor deleted by other workspaces', async () => {
    const { json } = await upload(createPng(11, 11));
    const base = `/api/tenants/${team.elsewhere.id}/images`;
    const stranger = team.as('stranger');
    expect((await stranger.get<{ data: unknown[] }>(base)).json.data).toEqual([]);
    expectError(await stranger.delete(`${base}/${json.id}`), 'image/not_found');
    expect((await get(json.url)).status).toBe(200);
  });

  it('are rejected beyond the maximum of the workspace', async () => {
    const { harness, elsewhere } = team;
    const form = toForm(new Uint8Array(createPng(14, 14)));
    const base = `/api/tenants/${elsewhere.id}/images`;
    const { json } = await team.as('stranger').upload<ImageRecord>(base, form);
    await query(
      harness,
      `UPDATE images SET content_bytes = ${IMAGE_LIMITS.imagesBytesMax} WHERE id = '${json.id}'`,
    );
    const another = toForm(new Uint8Array(createPng(15, 15)));
    expectError(await team.as('stranger').upload(base, another), 'image/too_many');
  });

  it('can be changed by owners and admins only', async () => {
    const { json } = await upload(createPng(12, 12));
    const form = toForm(new Uint8Array(createPng(13, 13)));
    expectError(await team.as('member').upload('/images', form), 'tenant/role_required');
    expectError(await team.as('member').delete(`/images/${json.id}`), 'tenant/role_required');
  });

  it('leave an audit row when they are uploaded and deleted', async () => {
    const { json } = await upload(createPng(14, 14));
    await team.as('owner').delete(`/images/${json.id}`);
    const { data } = (await team.as('owner').get<{ data: { action: string; subject: string }[] }>('/audit'))
      .json;
    const actions = data.filter(({ subject }) => subject === json.id).map(({ action }) => action);
    expect(actions).toEqual(['image.deleted', 'image.uploaded']);
  });

  it('count as stored data', async () => {
    team.harness.clock.advance(11 * 60_000);
    await team.harness.service.tick();
    const before = await imageUsage();
    await upload(createPng(15, 15, ['iCCP', 'x'.repeat(100_000)]));
    team.harness.clock.advance(11 * 60_000);
    await team.harness.service.tick();
    const after = await imageUsage();
    expect(after.rows).toBe(before.rows + 1);
    expect(after.bytes - before.bytes).toBeGreaterThan(100_000);
  });
});

async function imageUsage() {
  type Usage = { storage: { kinds: { kind: string; rows: number; bytes: number }[] } };
  const { json } = await team.as('owner').get<Usage>('/usage');
  return json.storage.kinds.find(({ kind }) => kind === 'images')!;
}

describe('an image that articles show', () => {
  const list = async (filter: string) =>
    (await team.as('member').get<{ data: ListedImage[] }>(`/images?${filter}`)).json.data;
  const read = async (imageId: string) => (await list('limit=200')).find(({ id }) => id === imageId)!;
  const create = async (title: string, answer: string) =>
    (await team.as('admin').post<{ id: string }>('/knowledge/articles', { title, answer })).json.id;

  it('is listed with the articles, their languages, and whether visitors see it', async () => {
    const { json } = await upload(createPng(30, 30));
    const live = await create('Paying', `Here: ![Form](${json.url})`);
    await team.as('admin').post(`/knowledge/articles/${live}/publish`, { baseRevision: 1 });
    const draft = await create('Returns', `![Box](https://guide.example${json.url})`);
    const translated = await team.as('admin').post(`/knowledge/articles/${live}/translations`, {
      locale: 'de',
      title: 'Bezahlen',
      answer: `![Formular](${json.url})`,
    });
    expect(translated.status, translated.text).toBe(201);
    const { usedBy, uses } = await read(json.id);
    expect(usedBy).toBe(2);
    expect(uses).toEqual([
      { articleId: live, title: 'Paying', locales: ['en', 'de'], live: true },
      { articleId: draft, title: 'Returns', locales: ['en'], live: false },
    ]);
    expect((await list('used=true')).map(({ id }) => id)).toEqual([json.id]);
    expect((await list('used=false')).map(({ id }) => id)).not.toContain(json.id);
  });

  it('is deleted once neither the live text nor the working copy shows it', async () => {
    const { json } = await upload(createPng(31, 31));
    const path = `/knowledge/articles/${await create('Delivery', `![Van](${json.url})`)}`;
    await team.as('admin').post(`${path}/publish`, { baseRevision: 1 });
    const text = { title: 'Delivery', answer: 'By van.', aliases: [] };
    await team.as('admin').put(path, { baseRevision: 2, ...text });
    const rejected = await team.as('owner').delete(`/images/${json.id}`);
    expectError(rejected, 'image/in_use');
    expect(rejected.json).toMatchObject({ usedBy: 1 });
    expect((await get(json.url)).status).toBe(200);
    await team.as('admin').post(`${path}/publish`, { baseRevision: 3 });
    expect(await read(json.id)).toMatchObject({ usedBy: 0, uses: [] });
    expect((await team.as('owner').delete(`/images/${json.id}`)).status).toBe(200);
  });

  it('is not kept by the articles of another workspace', async () => {
    const { json } = await upload(createPng(32, 32));
    const answer = `![Map](${json.url})`;
    const base = `/api/tenants/${team.elsewhere.id}/knowledge/articles`;
    await team.as('stranger').post(base, { title: 'Elsewhere', answer });
    expect(await read(json.id)).toMatchObject({ usedBy: 0 });
    expect((await team.as('owner').delete(`/images/${json.id}`)).status).toBe(200);
  });
});

describe('an upload', () => {
  it.each([
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')],
    ['HTML with the name of an image', Buffer.from('<script>alert(1)</script>')],
    ['a picture over the limit of its sides', createPng(IMAGE_LIMITS.imageSideMax + 1, 10)],
  ])('rejects %s', async (_what, file) => {
    expectError(await upload(file), 'image/unsupported');
  });

  it('rejects a file over the limit', async () => {
    const file = createPng(16, 16, ['iCCP', 'x'.repeat(IMAGE_LIMITS.imageBytesMax)]);
    expectError(await upload(file), 'image/too_large');
  });
});

describe('an image', () => {
  it('is served to every page, and cannot run scripts there', async () => {
    const file = createPng(20, 20);
    const { json } = await upload(file);
    const response = await get(json.url, { origin: 'https://any.example' });
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(file);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': String(file.length),
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
    });
    const etag = response.headers.get('etag')!;
    expect((await get(json.url, { 'if-none-match': etag })).status).toBe(304);
    const head = await team.harness.fetch(json.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('content-length')]).toEqual([200, String(file.length)]);
  });

  it('is gone after it was deleted', async () => {
    const { json } = await upload(createPng(21, 21));
    expect((await team.as('owner').delete(`/images/${json.id}`)).status).toBe(200);
    expect((await get(json.url)).status).toBe(404);
    expectError(await team.as('owner').delete(`/images/${json.id}`), 'image/not_found');
  });

  it.each(['/images/img_01kakv2fxse7wtg6x5r0h8rjbm', '/images/x', '/images/..%2Fguide.js'])(
    'is not found at %s',
    async (path) => {
      expect((await get(path)).status).toBe(404);
    },
  );
});
