import { describe, expect, it } from 'vitest';
import type { PassageToEmbed } from '../../../server/storage/embeddings.ts';
import { article, MORNING } from '../samples.ts';
import type { Subject } from '../temporary-store.ts';

const BY = { actor: 'operator', atMillis: MORNING };
const VECTORS = { dimensions: 2, vectors: Uint8Array.of(1, 2, 3, 4, 5, 6) };

export function describeEmbeddings(subject: () => Subject): void {
  const own = () => subject().store.in(subject().here).embeddings;
  const others = () => subject().store.in(subject().there).embeddings;
  const list = (model = 'm') => subject().store.embeddingIndex.after(0, 100, model);

  async function importHere(...slugs: string[]): Promise<readonly PassageToEmbed[]> {
    const { store, here } = subject();
    await store.in(here).articles.import(
      slugs.map((slug) => article(slug, { answer: `About ${slug}.` })),
      BY,
    );
    return list();
  }

  const put = ({ passageId, articleId, locale }: PassageToEmbed, contentHash = 'h') =>
    own().put({ passageId, articleId, locale, model: 'm', contentHash, ...VECTORS });

  describe('embeddings', () => {
    it('are listed in pages as they were put, also after a restart', async () => {
      const passages = await importHere('a', 'b', 'c');
      for (const passage of passages) await put(passage);
      await subject().reopen();
      const first = await own().list('m', 2);
      const rest = await own().list('m', 2, first.at(-1));
      expect([...first, ...rest].map(({ passageId }) => passageId)).toStrictEqual(
        passages.map(({ passageId }) => passageId),
      );
      expect([...first[0]!.vectors]).toStrictEqual([...VECTORS.vectors]);
      expect(await own().list('another', 2)).toStrictEqual([]);
      expect(await own().count('m')).toBe(3);
    });

    it('are missing for a passage that replaced another, until they are kept or put', async () => {
      const [passage] = await importHere('a');
      expect(passage).toMatchObject({ workspaceId: subject().here, isEmbedded: false });
      await put(passage!, 'first');
      expect(await list()).toMatchObject([{ isEmbedded: true, contentHash: 'first' }]);
      expect(await list('another')).toStrictEqual([passage]);
      const { store, here } = subject();
      await store.in(here).articles.import([article('a', { answer: 'Something else.' })], BY);
      const [replaced] = await list();
      expect(replaced).toMatchObject({ isEmbedded: false, contentHash: 'first' });
      expect(await own().list('m', 9)).toStrictEqual([]);
      await own().keep(replaced!.articleId, replaced!.locale, replaced!.passageId);
      expect(await own().list('m', 9)).toHaveLength(1);
      expect(await store.embeddingIndex.after(replaced!.passageId, 9, 'm')).toStrictEqual([]);
    });

    it('of another workspace are neither read nor written', async () => {
      const [passage] = await importHere('a');
      const { passageId, articleId, locale } = passage!;
      await others().put({ passageId, articleId, locale, model: 'm', contentHash: 'h', ...VECTORS });
      expect(await list()).toMatchObject([{ isEmbedded: false }]);
      await put(passage!);
      expect([await others().list('m', 9), await others().count('m')]).toStrictEqual([[], 0]);
    });

    it('are removed with what is no longer published', async () => {
      const { store, here } = subject();
      const [passage] = await importHere('a', 'b');
      await put(passage!);
      expect(await store.embeddingIndex.progress('m')).toStrictEqual({ passages: 2, embedded: 1 });
      const audit = { id: 'aud_1', actor: 'test', action: 'article.deleted', atMillis: 1, details: {} };
      await store.in(here).articles.remove(passage!.articleId, { ...audit, subject: passage!.articleId });
      expect(await own().count('m')).toBe(0);
      expect(await store.embeddingIndex.removeUnpublished(9)).toBe(0);
    });

    it('are not put into a removed workspace', async () => {
      const { store, here } = subject();
      const [passage] = await importHere('a');
      await store.workspaces.remove(here, MORNING);
      await put(passage!);
      expect(await own().count('m')).toBe(0);
      expect(await list()).toStrictEqual([]);
    });

    it('count their tokens apart from those of the language model', async () => {
      const { embeddingMonths, tokenMonths } = subject().store.in(subject().here);
      await embeddingMonths.reserve('2026-11', () => 70);
      expect([await embeddingMonths.used('2026-11'), await tokenMonths.used('2026-11')]).toStrictEqual([
        70, 0,
      ]);
    });
  });
}
