import { describe, expect, it } from 'vitest';
import { newId } from '../../../server/base/ids.ts';
import type { ApiKey } from '../../../server/storage/api-keys.ts';
import { MORNING } from '../../support/stored-samples.ts';
import type { Subject } from '../temporary-store.ts';
import { auditEntry } from './events.ts';

export function describeApiKeys(subject: () => Subject): void {
  describe('API keys', () => {
    const keysOf = (workspaceId: string) => subject().store.in(workspaceId).apiKeys;
    const auditOf = (workspaceId: string) => subject().store.in(workspaceId).audit.list(100);

    it('finds keys by id and public part, and lists them newest first', async () => {
      const { store, here, there } = subject();
      const older = apiKey(here, 'aaaaaaaa');
      const newer = { ...apiKey(here, 'bbbbbbbb'), createdAt: MORNING + 1 };
      const rows = [];
      for (const key of [older, newer]) {
        rows.unshift(auditEntry(MORNING));
        expect(await keysOf(here).create(key, rows[0]!)).toBe('created');
      }
      await keysOf(there).create(apiKey(there, 'cccccccc'), auditEntry(MORNING));
      expect(await store.apiKeys.find(older.id)).toEqual(older);
      expect(await store.apiKeys.findByPublicId('aaaaaaaa')).toEqual(older);
      expect(await store.apiKeys.findByPublicId('zzzzzzzz')).toBeUndefined();
      expect(await keysOf(here).list()).toEqual([newer, older]);
      expect(await auditOf(here)).toEqual(rows);
    });

    it('rejects a duplicate public part and stores nothing', async () => {
      const { here, there } = subject();
      await keysOf(here).create(apiKey(here, 'aaaaaaaa'), auditEntry(MORNING));
      const second = keysOf(there).create(apiKey(there, 'aaaaaaaa'), auditEntry(MORNING));
      expect(await second).toBe('public_id_taken');
      expect(await keysOf(there).list()).toEqual([]);
      expect(await auditOf(there)).toEqual([]);
    });

    it('revokes a key once: a second call keeps the first time and its single audit row', async () => {
      const { store, here } = subject();
      const key = apiKey(here, 'aaaaaaaa');
      await keysOf(here).create(key, auditEntry(MORNING));
      const revoked = { ...key, revokedAt: MORNING + 1 };
      expect(await keysOf(here).revoke(key.id, MORNING + 1, auditEntry(MORNING))).toEqual(revoked);
      expect(await keysOf(here).revoke(key.id, MORNING + 2, auditEntry(MORNING))).toEqual(revoked);
      expect(await store.apiKeys.findByPublicId('aaaaaaaa')).toEqual(revoked);
      expect(await auditOf(here)).toHaveLength(2);
      expect(await keysOf(here).revoke('key_unknown', MORNING, auditEntry(MORNING))).toBeUndefined();
      expect(await auditOf(here)).toHaveLength(2);
    });

    it('neither lists nor revokes keys of another workspace', async () => {
      const { store, here, there } = subject();
      const key = apiKey(here, 'aaaaaaaa');
      await keysOf(here).create(key, auditEntry(MORNING));
      expect(await keysOf(there).list()).toEqual([]);
      expect(await keysOf(there).revoke(key.id, MORNING, auditEntry(MORNING))).toBeUndefined();
      expect(await auditOf(there)).toEqual([]);
      expect(await store.apiKeys.find(key.id)).toEqual(key);
    });

    it('stores the last use of a key and never moves it back', async () => {
      const { store, here } = subject();
      const key = apiKey(here, 'aaaaaaaa');
      await keysOf(here).create(key, auditEntry(MORNING));
      await store.apiKeys.recordUse(key.id, MORNING + 2);
      await store.apiKeys.recordUse(key.id, MORNING + 1);
      await store.apiKeys.recordUse('key_unknown', MORNING + 3);
      expect(await store.apiKeys.find(key.id)).toEqual({ ...key, lastUsedAt: MORNING + 2 });
    });

    it('reports the first use from a network, and forgets the oldest of many networks', async () => {
      const { store, here } = subject();
      const key = apiKey(here, 'aaaaaaaa');
      await keysOf(here).create(key, auditEntry(MORNING));
      const use = (at: number) => store.apiKeys.recordUse(key.id, MORNING, `10.0.${at}.0/24`);
      expect([await use(0), await use(1), await use(0), await use(1)]).toEqual([
        'new_network',
        'new_network',
        'known_network',
        'known_network',
      ]);
      for (let at = 2; at <= 20; at += 1) expect(await use(at)).toBe('new_network');
      expect(await use(20)).toBe('known_network');
      expect(await use(0)).toBe('new_network');
      expect((await store.apiKeys.find(key.id))?.lastUsedNetwork).toBe('10.0.0.0/24');
    });
  });
}

function apiKey(workspaceId: string, publicId: string): ApiKey {
  return {
    id: newId('key'),
    workspaceId,
    name: 'Nightly report',
    publicId,
    secretHash: 'ab'.repeat(32),
    lastFour: 'wxyz',
    scopes: ['events:read', 'analytics:read'],
    allowedNetworks: [],
    createdBy: 'operator',
    createdAt: MORNING,
  };
}
