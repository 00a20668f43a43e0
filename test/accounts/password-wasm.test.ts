import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { deriveInWasm, hashPassword } from '../../server/accounts/password.ts';

it('deriveInWasm derives the same hash as hashPassword', async () => {
  const phc = await hashPassword('violet spoon under the desk');
  const [, , , , salt, hash] = phc.split('$');
  const parameters = { salt: Buffer.from(salt!, 'base64'), bytes: 32, memory: 19_456, passes: 2, lanes: 1 };
  const derived = await deriveInWasm(Buffer.from('violet spoon under the desk'), parameters);
  expect(derived.toString('base64').replace(/=+$/, '')).toBe(hash);
  const other = { ...parameters, salt: randomBytes(16) };
  expect(await deriveInWasm(Buffer.from('violet spoon under the desk'), other)).not.toEqual(derived);
});
