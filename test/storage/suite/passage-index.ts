import { describe, expect, it } from 'vitest';
import { indexText } from '../../../server/knowledge/search/indexing.ts';
import { article, MORNING } from '../samples.ts';
import type { Subject } from '../temporary-store.ts';

const BY = { actor: 'operator', atMillis: MORNING };
const FIRST = Number.MAX_SAFE_INTEGER;

export function describePassageIndex(subject: () => Subject): void {
  const index = () => subject().store.passageIndex;

  async function fill(): Promise<void> {
    const { store, here, there } = subject();
    for (const id of [here, there]) {
      await store
        .in(id)
        .articles.import(
          [article('refunds', { answer: 'Five days.' }, { de: { answer: 'Fünf Tage.' } })],
          BY,
        );
    }
  }

  describe('passage index', () => {
    it('has no tokenizer before one is set', async () => {
      expect(await index().state()).toStrictEqual({});
      await index().finish('one');
      expect(await index().state()).toStrictEqual({ tokenizer: 'one' });
    });

    it('lists every passage of every workspace once while reindexing', async () => {
      await fill();
      const seen: string[] = [];
      let some = await index().before(FIRST, 3);
      while (some.length > 0) {
        const downTo = some.at(-1)!.passageId;
        seen.push(...some.map(({ workspaceId, variant }) => `${workspaceId} ${variant.locale}`));
        const renewed = some.map(({ passageId, variant }) => ({ passageId, ...indexText(variant) }));
        await index().renew(renewed, { tokenizer: 'two', downTo });
        expect(await index().state()).toStrictEqual({ renewal: { tokenizer: 'two', downTo } });
        some = await index().before(downTo, 3);
      }
      const { here, there } = subject();
      expect(seen.toSorted()).toStrictEqual(
        [here, there].flatMap((id) => [`${id} de`, `${id} en`]).toSorted(),
      );
      await index().finish('two');
      expect(await index().state()).toStrictEqual({ tokenizer: 'two' });
      expect(await index().before(FIRST, 10)).toHaveLength(4);
    });

    it('keeps metadata changed during reindexing, and skips republished passages', async () => {
      await fill();
      const { store, here } = subject();
      const some = await index().before(FIRST, 10);
      await store.in(here).articles.import([article('refunds', { answer: 'Two days.' })], BY);
      await index().renew(
        some.map(({ passageId, variant }) => ({ passageId, ...indexText(variant) })),
        { tokenizer: 'two', downTo: 1 },
      );
      const after = (await index().before(FIRST, 10)).filter(({ workspaceId }) => workspaceId === here);
      expect(
        after.map(({ variant }) => [variant.locale, variant.answer, variant.stale]).toSorted(),
      ).toStrictEqual([
        ['de', 'Fünf Tage.', true],
        ['en', 'Two days.', false],
      ]);
    });
  });
}
