import { argon2Sync } from 'node:crypto';
import { dictionary } from '@zxcvbn-ts/language-common';
import { describe, expect, it } from 'vitest';
import {
  findPasswordProblem,
  HASHES_QUEUED_MAX,
  HASHES_RUNNING_MAX,
  hashPassword,
  limitHashing,
  needsRehash,
  PASSWORD_PROBLEMS,
  verifyPassword,
} from '../../server/accounts/password.ts';
import { fc } from '../support/seeded-random.ts';
import { occupyHashing } from '../support/team.ts';

const KNOWN = ['ann.lee@example.com', 'Acme Shop'];

describe('findPasswordProblem: valid passwords', () => {
  it.each([
    'correct horse battery staple',
    'xK9#mQ2$vL7@pR4',
    'thequickbrownfoxjumps',
    '這是一個很長的密碼而且沒有人知道它',
    'зелёный чайник на крыше',
    'a-long-enough-password',
    'violet spoon under the desk',
    '🦊🐻🌲🚲🎻🧵🪁🛶🥁🧭🪵🪴🫖🪑🧊',
  ])('accepts a long, unpredictable password: %s', async (password) => {
    expect(await findPasswordProblem(password, KNOWN)).toBeUndefined();
  });

  it('accepts 15 to 256 characters, counted as code points', async () => {
    const characters = [...'🦊🐻🌲🚲🎻🧵🪁🛶🥁🧭🪵🪴🫖🪑🧊'];
    expect(await findPasswordProblem(characters.join(''), [])).toBeUndefined();
    expect(await findPasswordProblem(characters.slice(1).join(''), [])).toBe('too_short');
    const long = Array.from({ length: 256 }, (_, at) => String.fromCodePoint(0x4e00 + at * 7)).join('');
    expect(await findPasswordProblem(long, [])).toBeUndefined();
    expect(await findPasswordProblem(`${long}x`, [])).toBe('too_long');
  });
});

describe('findPasswordProblem: weak passwords', () => {
  it.each([
    ['short words', 'too_short'],
    ['aaaaaaaaaaaaaaaaaaaa', 'repeated'],
    ['abcabcabcabcabcabc', 'repeated'],
    ['passwordpassword', 'repeated'],
    ['пароль пароль пароль', 'repeated'],
    ['123456789012345', 'guessable'],
    ['abcdefghijklmnopq', 'sequential'],
    ['zyxwvutsrqponmlk', 'sequential'],
    ['qwertyuiopasdfgh', 'guessable'],
    ['azertyuiopqsdfghj', 'sequential'],
    ['йцукенгшщзхъфывапр', 'guessable'],
    ['Password123456789!', 'guessable'],
    ['P@ssw0rdP@ssw0rd1', 'repeated'],
    ['ann.lee@example.com', 'guessable'],
    ['ANN.LEE@EXAMPLE.COM 2024', 'guessable'],
    ['acmeshopacme2024!!', 'guessable'],
    ['guidepost 2026 guidepost', 'guessable'],
    ['mypasswordis123456', 'guessable'],
    ['polniypizdec110211', 'guessable'],
    ['liverpoolfootball', 'guessable'],
    ['Summer2024Summer!', 'guessable'],
    ['M@nch3st3rUn1t3d!', 'guessable'],
    ['line one\nline two of it', 'not_text'],
    ['half a pair \ud83d of them', 'not_text'],
  ] as const)('rejects %j as %s', async (password, problem) => {
    expect(await findPasswordProblem(password, KNOWN)).toBe(problem);
    expect(PASSWORD_PROBLEMS[problem]).toMatch(/\.$/);
  });

  it('rejects common passwords and pairs of common passwords', async () => {
    const common = dictionary['passwords-common'];
    expect(common.length).toBeGreaterThan(40_000);
    const long = common.filter((password) => [...password].length >= 15);
    const pairs = common
      .slice(0, 1_000)
      .map((password, at) => `${password}${common[(at * 7 + 1) % 10_000]}`)
      .filter((password) => [...password].length >= 15);
    expect(long.length + pairs.length).toBeGreaterThan(150);
    for (const password of [...long, ...pairs]) expect(await findPasswordProblem(password, [])).toBeDefined();
  });

  it('returns a known problem or none for any string', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 300 }), async (password) => {
        const problem = await findPasswordProblem(password, KNOWN);
        expect(problem === undefined || problem in PASSWORD_PROBLEMS).toBe(true);
      }),
    );
  });
});

describe('limitHashing', () => {
  it('runs four hashes at once, queues thirty-two and rejects the rest', async () => {
    const release = occupyHashing();
    await expect(hashPassword('a quiet lake at noon')).rejects.toMatchObject({ code: 'server/overloaded' });
    await expect(verifyPassword('a quiet lake at noon', undefined)).rejects.toThrow();
    await release();
    let running = 0;
    let most = 0;
    const work = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running -= 1;
    };
    await Promise.all(
      Array.from({ length: HASHES_RUNNING_MAX + HASHES_QUEUED_MAX }, () => limitHashing(work)),
    );
    expect({ running, most }).toEqual({ running: 0, most: 4 });
    await expect(limitHashing(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await limitHashing(async () => 'goes on')).toBe('goes on');
  });
});

describe('hashPassword', () => {
  it('returns an argon2id PHC string with the published parameters and a new salt', async () => {
    const [one, other] = await Promise.all([
      hashPassword('a quiet lake at noon'),
      hashPassword('a quiet lake at noon'),
    ]);
    expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    expect(needsRehash(one)).toBe(false);
  });

  it('verifies only the password that was hashed', async () => {
    const phc = await hashPassword('a quiet lake at noon');
    expect(await verifyPassword('a quiet lake at noon', phc)).toBe(true);
    expect(await verifyPassword('a quiet lake at noon ', phc)).toBe(false);
    expect(await verifyPassword('', phc)).toBe(false);
  });

  it('returns hashes that verify every Unicode form of the same characters', async () => {
    const phc = await hashPassword('cafe\u0301 am grossen See');
    expect(await verifyPassword('caf\u00e9 am grossen See', phc)).toBe(true);
    expect(await verifyPassword('ｃａｆé am grossen See', phc)).toBe(true);
  });

  it('verifies hashes with older parameters and reports that they need a rehash', async () => {
    const salt = Buffer.from('0123456789abcdef');
    const weaker = { parallelism: 1, tagLength: 32, memory: 1024, passes: 3 };
    const made = argon2Sync('argon2id', { message: 'an older password', nonce: salt, ...weaker });
    const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
    const phc = `$argon2id$v=19$m=1024,t=3,p=1$${bare(salt)}$${bare(made)}`;
    expect(await verifyPassword('an older password', phc)).toBe(true);
    expect(needsRehash(phc)).toBe(true);
  });

  it('rejects a missing or malformed hash in the time of a real one', async () => {
    const phc = await hashPassword('a quiet lake at noon');
    // Processor time, because wall time varies on a busy machine.
    const workFor = async (stored: string | undefined) => {
      const before = process.cpuUsage();
      expect(await verifyPassword('some other password', stored)).toBe(false);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await workFor(phc);
    const real = Math.min(await workFor(phc), await workFor(phc), await workFor(phc));
    expect(await workFor(undefined)).toBeGreaterThan(real / 3);
    expect(await workFor('$argon2id$v=19$nonsense')).toBeGreaterThan(real / 3);
  });
});
