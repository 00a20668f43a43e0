import { createSecretKey, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSecretBox } from '../../server/tokens/sealed-text.ts';

const box = createSecretBox(createSecretKey(randomBytes(32)));

it('opens a secret for its owner only, with the same key, and unchanged', async () => {
  const sealed = await box.seal('token', 'src_1');
  expect(sealed).not.toContain('token');
  expect(await box.open(sealed, 'src_1')).toBe('token');
  expect(await box.open(sealed, 'src_2')).toBeUndefined();
  expect(await createSecretBox(createSecretKey(randomBytes(32))).open(sealed, 'src_1')).toBeUndefined();
  expect(await box.open(`${sealed.slice(0, -4)}AAAA`, 'src_1')).toBeUndefined();
});

it('seals the same secret differently each time', async () => {
  expect(await box.seal('token', 'src_1')).not.toBe(await box.seal('token', 'src_1'));
});
