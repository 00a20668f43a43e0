import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/ids.ts';
import type { ImportedTranslation } from '../../../server/storage/articles.ts';
import { article, MINUTE, MORNING } from '../samples.ts';
import type { Subject } from '../subject.ts';

const source = article('refunds', { answer: 'Refunds take five days.' });
const changed = article('refunds', { answer: 'Refunds take six days.' });

export function describeWaitingTranslations(subject: () => Subject): void {
  const here = () => subject().store.in(subject().here);
  const translation = (locale: string): ImportedTranslation => ({ ...source, idIfNew: newId('tr'), locale });
  const waiting = (limit = 10, afterId?: string) =>
    here().translations.listReviewQueue(['in_review'], limit, afterId);
  const publish = (which: typeof source, translations: readonly ImportedTranslation[], atMillis: number) =>
    here().articles.import([{ ...which, translations }], { actor: 'operator', atMillis });

  describe('review queue candidates', () => {
    it('lists translations by status, and published ones whose source has changed, by id', async () => {
      const [german, french] = [translation('de'), translation('fr')];
      await publish(source, [german, french], MORNING);
      expect(await waiting()).toStrictEqual([]);
      const [outcome] = await publish(changed, [], MORNING + MINUTE);
      const [first, second, ...others] = await waiting();
      expect(others).toStrictEqual([]);
      expect([first!.locale, second!.locale].toSorted()).toStrictEqual(['de', 'fr']);
      expect(first!.id < second!.id).toBe(true);
      expect(first).toMatchObject({
        articleId: outcome!.articleId,
        status: 'published',
        title: source.content.title,
        articleTitle: changed.content.title,
        liveSourceHash: source.contentHash,
        compared: { contentHash: changed.contentHash, at: MORNING + MINUTE, by: 'operator' },
      });
      expect(await waiting(1)).toStrictEqual([first]);
      expect(await waiting(1, first!.id)).toStrictEqual([second]);
      const { store, there } = subject();
      expect(await store.in(there).translations.listReviewQueue(['in_review'], 10)).toStrictEqual([]);
    });

    it('lists every translation of the given status', async () => {
      await publish(source, [translation('de')], MORNING);
      const listed = await here().translations.listReviewQueue(['published'], 10);
      expect(listed.map(({ locale, status }) => `${locale} ${status}`)).toStrictEqual(['de published']);
    });
  });
}
