import { expect, it } from 'vitest';
import { setOptionalPurposes } from '../../server/consent/purposes.ts';
import { toStoragePermissions } from '../../server/consent/storage-permissions.ts';

const DAY = 86_400_000;

it('allows persistence, analytics and export after acceptance', () => {
  expect(toStoragePermissions(setOptionalPurposes('granted'), { decision: 'accepted', gpc: false })).toEqual({
    analytics: true,
    persistVisitor: true,
    screenshot: true,
    exportable: true,
    forgetEvents: false,
  });
});

it.each(['denied', 'rejected', 'browser-denied', 'gpc_auto_optout'] as const)(
  'keeps only a day of conversation after %s',
  (decision) => {
    expect(toStoragePermissions(setOptionalPurposes('denied'), { decision, gpc: false })).toEqual({
      analytics: false,
      persistVisitor: false,
      screenshot: false,
      exportable: false,
      deleteConversationsWithinMillis: DAY,
      forgetEvents: true,
    });
  },
);

it('stores the same before an answer, and deletes nothing for a dismissed prompt', () => {
  const waiting = toStoragePermissions(setOptionalPurposes('denied'));
  expect(waiting).toMatchObject({ analytics: false, persistVisitor: false, forgetEvents: false });
  expect(waiting.deleteConversationsWithinMillis).toBe(DAY);
  const dismissed = { decision: 'dismissed', gpc: false } as const;
  expect(toStoragePermissions(setOptionalPurposes('denied'), dismissed)).toEqual(waiting);
});

it('deletes earlier event rows when a privacy signal comes with any decision', () => {
  const signalled = { decision: 'dismissed', gpc: true } as const;
  expect(toStoragePermissions(setOptionalPurposes('denied'), signalled).forgetEvents).toBe(true);
});

it('follows each purpose independently', () => {
  const measuredOff = { ...setOptionalPurposes('granted'), analytics: 'denied' } as const;
  expect(toStoragePermissions(measuredOff)).toMatchObject({
    analytics: false,
    persistVisitor: true,
    exportable: true,
  });
  const retentionOff = { ...setOptionalPurposes('granted'), retention: 'denied' } as const;
  expect(toStoragePermissions(retentionOff)).toMatchObject({ analytics: true, exportable: false });
});
