import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readUsage } from '../../generated/routes.ts';
import { join as joinWorkspace } from '../client/colleagues.ts';
import { routes } from '../support/requests.ts';
import { openTeam } from '../support/team.ts';

/** The example in "Adding an endpoint" of docs/contract.md exists as shown, and no other source mentions it. */

const ROOT = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

const section = /^## Adding an endpoint$([\s\S]*?)^## /m.exec(read('docs/contract.md'))![1]!;
/** Each excerpt begins with a comment that names its file. */
const excerpts = Array.from(
  section.matchAll(/^ *```ts\n *\/\/ (\S+)\n([\s\S]*?)^ *```$/gm),
  ([, path, code]) => [path!, code!] as const,
);
const operationId = 'readUsage';

const withoutIndentation = (code: string) => code.replaceAll(/^ +/gm, '').trim();

test('docs/contract.md shows a contract, a handler and a test', () => {
  const folders = excerpts.map(([path]) => path.split('/')[0]);
  expect(folders).toEqual(['contract', 'server', 'test']);
  expect(excerpts[0]![1]).toContain(`${operationId}: route({`);
});

test.each(excerpts)('%s contains the code that docs/contract.md shows', (path, code) => {
  expect(withoutIndentation(read(path))).toContain(withoutIndentation(code));
});

test('no other source or fixture mentions the operation of the example', () => {
  const sources = globSync('{contract,server,client/sdk,test/support}/**/*.ts', { cwd: ROOT });
  const mentioning = sources.filter((path) => new RegExp(`\\b${operationId}\\b`).test(read(path)));
  expect(mentioning.sort()).toEqual(excerpts.map(([path]) => path).slice(0, 2));
});

test('call() of the client reaches the endpoint', async () => {
  const team = await openTeam();
  try {
    const { account } = await joinWorkspace(team, 'owner');
    const reply = await account.tenant(team.workspace.id).call(readUsage);
    const route = routes.find(({ metadata }) => metadata.operationId === operationId)!;
    expect(route.metadata.successResponses[200]!.parse(reply)).toEqual(reply);
  } finally {
    await team.close();
  }
});
