import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findProgram } from '../support/debian.ts';
import { openTeam, type Team } from '../support/team.ts';
import { tempDir } from '../support/temp-dir.ts';

/** Runs the code of docs/known-customers.md in its languages; customers.test.ts runs that in JavaScript. */

const PAGE = readFileSync(new URL('../../docs/known-customers.md', import.meta.url), 'utf8');
const GO_IMPORTS = ['crypto/hmac', 'crypto/sha256', 'encoding/base64', 'encoding/json', 'fmt', 'os', 'time'];

type Language = {
  name: string;
  run: string[];
  file: string;
  /** Makes a program of the code, which prints a token. Its arguments are the secret and the app id. */
  complete: (code: string) => string;
};

const LANGUAGES: Language[] = [
  {
    name: 'python',
    run: ['python3'],
    file: 'sign.py',
    complete: (code) =>
      `${code}\nimport sys\nprint(sign_user(sys.argv[1], sys.argv[2], "4815", "Ada Łoś", "ada@example.com", {"plan": "pro"}))`,
  },
  {
    name: 'php',
    run: ['php'],
    file: 'sign.php',
    complete: (code) =>
      `<?php\n${code}\necho signUser($argv[1], $argv[2], '4815', 'Ada Łoś', 'ada@example.com', ['plan' => 'pro']);`,
  },
  {
    name: 'ruby',
    run: ['ruby'],
    file: 'sign.rb',
    complete: (code) =>
      `${code}\nputs sign_user(ARGV[0], ARGV[1], id: 4815, name: "Ada Łoś", email: "ada@example.com", attributes: { plan: "pro" })`,
  },
  {
    name: 'go',
    run: ['go', 'run'],
    file: 'sign.go',
    complete: (code) =>
      `package main\nimport (${GO_IMPORTS.map((name) => `"${name}"`).join('; ')})\n${code}
func main() {
  token, err := signUser(os.Args[1], os.Args[2], "4815", "Ada Łoś", "ada@example.com", map[string]any{"plan": "pro"})
  if err != nil { panic(err) }
  fmt.Print(token)
}`,
  },
];

let team: Team;
let secret: string;
beforeAll(async () => {
  team = await openTeam();
  const admin = team.as('admin');
  ({ secret } = (await admin.post<{ secret: string }>('/customer-keys', { kind: 'secret' })).json);
  await admin.patch('', { customerAttributes: [{ name: 'plan', type: 'text' }] });
});
afterAll(() => team.close());

it.each(LANGUAGES)('accepts what the documented code in $name signs', async (language) => {
  const [program = '', ...options] = language.run;
  const code = new RegExp(`\`\`\`${language.name}\\n([\\s\\S]+?)\`\`\``).exec(PAGE)![1]!;
  const file = join(tempDir(), language.file);
  writeFileSync(file, language.complete(code));
  const args = [...options, file, secret, team.harness.appId];
  const token = execFileSync(findProgram(program), args, { encoding: 'utf8' }).trim();
  expect((await team.as('admin').post('/customers/token-checks', { token })).json).toMatchObject({
    result: 'accepted',
    customer: { sub: '4815', name: 'Ada Łoś', attributes: ['plan=pro'], dropped: [] },
  });
});
