import { describe, expect, it } from 'vitest';
import { MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

export function describeWorkspaceModels(subject: () => Subject): void {
  describe('the model of a workspace', () => {
    const stored = {
      provider: 'openai' as const,
      baseUrl: 'https://models.example/v1',
      model: 'a-model',
      rewriteModel: 'a-small-model',
      sealedKey: 'sealed',
      keySetAt: MORNING,
    };

    it('replaces the one before, belongs to its workspace and survives a restart', async () => {
      const { store, here, there, reopen } = subject();
      const { model } = store.in(here);
      expect(await model.get()).toBeUndefined();
      await model.set(stored, auditEntry(MORNING));
      const { rewriteModel: _, ...plain } = stored;
      await model.set({ ...plain, model: 'another' }, auditEntry(MORNING));
      expect(await (await reopen()).in(here).model.get()).toEqual({ ...plain, model: 'another' });
      expect(await subject().store.in(there).model.get()).toBeUndefined();
      expect(await subject().store.in(here).audit.list(10)).toHaveLength(2);
    });

    it('is removed once, with an audit row', async () => {
      const { store, here } = subject();
      const { model } = store.in(here);
      await model.set(stored, auditEntry(MORNING));
      expect(await model.remove(auditEntry(MORNING))).toBe('removed');
      expect(await model.remove(auditEntry(MORNING))).toBe('gone');
      expect(await model.get()).toBeUndefined();
      expect(await store.in(here).audit.list(10)).toHaveLength(2);
    });
  });
}
