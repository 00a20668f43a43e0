import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { ImageHead, NewImage } from '../../../server/storage/images.ts';
import { article, MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

export function describeImages(subject: () => Subject): void {
  describe('images', () => {
    const imagesOf = (workspaceId: string) => subject().store.in(workspaceId).images;
    const ROOM = { countMax: 2, bytesMax: 1000 };
    const put = (workspaceId: string, image: NewImage, limits = ROOM) =>
      imagesOf(workspaceId).put(image, limits, auditEntry(MORNING));

    it('finds the content by id across workspaces, and lists images newest first', async () => {
      const { store, here, there } = subject();
      const older = sampleImage('a');
      const newer = sampleImage('b', { createdAt: MORNING + 1 });
      expect(await put(here, older)).toEqual(toHead(older));
      await put(here, newer);
      await put(there, sampleImage('c'));
      expect(await imagesOf(here).list()).toEqual([toHead(newer), toHead(older)]);
      const found = (await store.images.find(older.id))!;
      expect(found.mediaType).toBe('image/png');
      expect(Buffer.from(found.content)).toEqual(Buffer.from('a'));
      expect(await store.images.find(newId('img'))).toBeUndefined();
    });

    it('stores the same content once in each workspace', async () => {
      const { here, there } = subject();
      const [first, again] = [sampleImage('a'), sampleImage('a', { name: 'again' })];
      await put(here, first);
      expect(await put(here, again)).toEqual(toHead(first));
      expect(await put(there, again)).toEqual(toHead(again));
      expect(await imagesOf(here).list()).toHaveLength(1);
    });

    it('stores nothing over the limits of a workspace', async () => {
      const { here, there } = subject();
      await put(here, sampleImage('a', { contentBytes: 600 }));
      expect(await put(here, sampleImage('b', { contentBytes: 401 }))).toBe('full');
      await put(here, sampleImage('c', { contentBytes: 400 }));
      expect(await put(here, sampleImage('d', { contentBytes: 0 }))).toBe('full');
      expect(await put(there, sampleImage('e'))).not.toBe('full');
      expect(await imagesOf(here).list()).toHaveLength(2);
    });

    it('lists the live and newest texts that show images, and keeps those images', async () => {
      const { store, here, there } = subject();
      const [image, other] = [sampleImage('a'), sampleImage('b')];
      await put(here, image);
      await put(here, other);
      const shown = { answer: `![Box](/images/${image.id}) ![Again](/images/${image.id})` };
      const by = { actor: 'operator', atMillis: MORNING };
      const { articles } = store.in(here);
      await articles.import(
        [article('boxes', shown, { de: shown }), article('vans', { answer: 'Red.' })],
        by,
      );
      await articles.import([article('boxes', { answer: 'Brown.' })], by);
      const articleId = (await articles.findId('boxes'))!;
      const text = { articleId, title: 'boxes', isLive: true, imageIds: [image.id] };
      expect(await imagesOf(here).listTexts()).toEqual({ texts: [{ ...text, locale: 'de' }] });
      expect(await imagesOf(there).listTexts()).toEqual({ texts: [] });
      expect(await imagesOf(here).remove(image.id, auditEntry(MORNING))).toEqual({ usedBy: 1 });
      expect(await imagesOf(there).remove(image.id, auditEntry(MORNING))).toBe('gone');
      expect(await imagesOf(here).remove(other.id, auditEntry(MORNING))).toBe('removed');
      expect(await imagesOf(here).list()).toEqual([toHead(image)]);
    });

    it('lists texts of many articles in steps, each once', async () => {
      const { store, here } = subject();
      const answer = `![Box](/images/${newId('img')})`;
      const many = Array.from({ length: 501 }, (_, at) => article(`box-${at}`, { answer }));
      const by = { actor: 'operator', atMillis: MORNING };
      await store.in(here).articles.import(many, by);
      const first = await imagesOf(here).listTexts();
      const rest = await imagesOf(here).listTexts(first.continueAfter);
      expect([first.texts.length, rest.texts.length, rest.continueAfter]).toEqual([500, 1, undefined]);
      expect(new Set([...first.texts, ...rest.texts].map(({ articleId }) => articleId)).size).toBe(501);
    });

    it('removes images of the workspace only, and those of a removed workspace are not found', async () => {
      const { store, here, there } = subject();
      const [own, other] = [sampleImage('a'), sampleImage('b')];
      await put(here, own);
      await put(there, other);
      expect(await imagesOf(there).remove(own.id, auditEntry(MORNING))).toBe('gone');
      expect(await imagesOf(here).remove(own.id, auditEntry(MORNING))).toBe('removed');
      expect(await store.images.find(own.id)).toBeUndefined();
      await store.workspaces.remove(there, MORNING);
      expect(await store.images.find(other.id)).toBeUndefined();
    });
  });
}

function sampleImage(content: string, changes: Partial<NewImage> = {}): NewImage {
  return {
    id: newId('img'),
    name: 'checkout.png',
    mediaType: 'image/png',
    width: 640,
    height: 480,
    contentBytes: content.length,
    contentHash: content.padEnd(64, '0'),
    content: Buffer.from(content),
    createdAt: MORNING,
    createdBy: newId('mem'),
    ...changes,
  };
}

function toHead({ content: _c, contentHash: _h, ...head }: NewImage): ImageHead {
  return head;
}
