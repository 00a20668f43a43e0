import { expect, it } from 'vitest';
import { setOptionalPurposes } from '../../server/consent/purposes.ts';
import { toStoragePermissions } from '../../server/consent/storage-permissions.ts';

const DAY = 86_400_000;

it('lets a visitor who accepted be remembered, measured and exported', () => {
  expect(toStoragePermissions(setOptionalPurposes('granted'), { decision: 'accepted', gpc: false })).toEqual({
    analytics: true,
    persistVisitor: true,
    screenshot: true,
    exportable: true,
    forgetEvents: false,
  });
});

it.each(['denied', 'rejected', 'browser-denied', 'gpc_auto_optout'] as const)(
  'keeps a day of conversation and nothing else of a visitor after %s',
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

it('stores no more of a visitor who has not answered yet, and deletes nothing for a dismissed prompt', () => {
  const waiting = toStoragePermissions(setOptionalPurposes('denied'));
  expect(waiting).toMatchObject({ analytics: false, persistVisitor: false, forgetEvents: false });
  expect(waiting.deleteConversationsWithinMillis).toBe(DAY);
  const dismissed = { decision: 'dismissed', gpc: false } as const;
  expect(toStoragePermissions(setOptionalPurposes('denied'), dismissed)).toEqual(waiting);
});

it('ends what leave had begun when a privacy signal comes, whatever was decided', () => {
  const signalled = { decision: 'dismissed', gpc: true } as const;
  expect(toStoragePermissions(setOptionalPurposes('denied'), signalled).forgetEvents).toBe(true);
});

it('follows each purpose by itself', () => {
  const measuredOff = { ...setOptionalPurposes('granted'), analytics: 'denied' } as const;
  expect(toStoragePermissions(measuredOff)).toMatchObject({
    analytics: false,
    persistVisitor: true,
    exportable: true,
  });
  const retentionOff = { ...setOptionalPurposes('granted'), retention: 'denied' } as const;
  expect(toStoragePermissions(retentionOff)).toMatchObject({ analytics: true, exportable: false });
});
