import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY_PATTERN, makeApiKey, parseApiKey } from '../../server/tokens/api-key.ts';

/** Tests the rules and scripts in docs/secret-scanning.md exactly as users copy them. */

const guide = readFileSync(new URL('../../docs/secret-scanning.md', import.meta.url), 'utf8');
const block = (language: string) => guide.split(`\`\`\`${language}\n`)[1]!.split('\n```')[0]!;
const pattern = new RegExp(block('regex'), 'g');

const KEYS = Array.from({ length: 200 }, () => makeApiKey().text);
const DIGITS = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

/** Replaces each character after the prefix, one at a time, with its neighbour. */
const lookAlikesOf = (key: string) =>
  Array.from({ length: 47 }, (_, at) => {
    const place = at + 8;
    const other = DIGITS[(DIGITS.indexOf(key[place]!) + 1) % 62];
    return key.slice(0, place) + other + key.slice(place + 1);
  });

describe('the secret-scanning rule in the docs', () => {
  it('equals the pattern that the server redacts with', () => {
    expect(pattern.source).toBe(API_KEY_PATTERN.source);
    expect(/^regex = '''(.+)'''$/m.exec(block('toml'))?.[1]).toBe(pattern.source);
    const inGitHub = /Secret format \| `(.+)`/.exec(guide)?.[1];
    expect(`\\b${inGitHub}\\b`).toBe(pattern.source);
  });

  it.each([
    ['a line of code', (key: string) => `const client = connect('${key}');`],
    ['a header', (key: string) => `x-api-key: ${key}\r\n`],
    ['an environment file', (key: string) => `GUIDEPOST_KEY=${key}`],
    ['an address', (key: string) => `https://guide.example/?key=${key}&limit=1`],
    ['JSON', (key: string) => JSON.stringify({ key })],
    ['two at once', (key: string) => `${key},${key}`],
  ])('matches every key in %s', (_place, written) => {
    for (const key of KEYS) {
      const found = written(key).match(pattern);
      expect(new Set(found)).toStrictEqual(new Set([key]));
    }
  });

  it.each([
    ['a key that is too short', (key: string) => key.slice(0, -1)],
    ['a key that is too long', (key: string) => `${key}0`],
    ['a part of a longer word', (key: string) => `s${key}`],
    ['the prefix of a test key', (key: string) => key.replace('live', 'test')],
    ['a masked key', (key: string) => `pk_live_${key.slice(8, 16)}…${key.slice(-4)}`],
  ])('does not match %s', (_what, spoilt) => {
    for (const key of KEYS) expect(spoilt(key).match(pattern)).toBeNull();
  });
});

describe('the checksum scripts in the docs', () => {
  let folder: string;
  let isGuidepostKey: (text: string) => boolean;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'guidepost-scan-'));
    const file = join(folder, 'scan.mjs');
    writeFileSync(file, block('js'));
    ({ isGuidepostKey } = await import(pathToFileURL(file).href));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('accept every real key', () => {
    for (const key of KEYS) expect(isGuidepostKey(key)).toBe(true);
  });

  it('reject every key with one changed character', () => {
    for (const key of KEYS.slice(0, 20)) {
      for (const other of lookAlikesOf(key)) {
        expect(other).toMatch(new RegExp(pattern.source));
        expect(isGuidepostKey(other)).toBe(false);
        expect(parseApiKey(other)).toBeUndefined();
      }
    }
  });

  it('reject random text in the format of a key', () => {
    for (const key of KEYS) {
      const shuffled = `pk_live_${[...key.slice(8)].reverse().join('')}`;
      expect(isGuidepostKey(shuffled)).toBe(parseApiKey(shuffled) !== undefined);
    }
  });

  it('give the documented results for the documented examples in every language', () => {
    const [real, lookAlike] = block('text').split('\n') as [string, string];
    expect([isGuidepostKey(real), isGuidepostKey(lookAlike)]).toStrictEqual([true, false]);
    expect([parseApiKey(real), parseApiKey(lookAlike)].map((parts) => parts !== undefined)).toStrictEqual([
      true,
      false,
    ]);
    const python = `${block('python')}\nprint([is_guidepost_key(one) for one in ${JSON.stringify([real, lookAlike])}])`;
    const output = pythonSays(python);
    if (output !== undefined) expect(output).toBe('[True, False]');
  });
});

/** Undefined when Python is not installed. */
function pythonSays(program: string): string | undefined {
  try {
    return execFileSync('python3', ['-c', program], { encoding: 'utf8' }).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
