import { expect, test } from 'vitest';
import { readUsage } from '../../generated/routes.ts';
import { join as joinWorkspace } from '../client/colleagues.ts';
import { routes } from '../support/requests.ts';
import { openTeam } from '../support/team.ts';
import { isCurrent, listMentions, readExcerpts } from './excerpts.ts';

/** The example in "Adding an endpoint" of docs/contract.md exists as shown, and no other source mentions it. */

const excerpts = readExcerpts('Adding an endpoint');
const operationId = 'readUsage';

test('docs/contract.md shows a contract, a handler and a test', () => {
  const folders = excerpts.map(([path]) => path.split('/')[0]);
  expect(folders).toEqual(['contract', 'server', 'test']);
  expect(excerpts[0]![1]).toContain(`${operationId}: route({`);
});

test.each(excerpts)('%s contains the code that docs/contract.md shows', (path, code) => {
  expect(isCurrent(path, code)).toBe(true);
});

test('no other source or fixture mentions the operation of the example', () => {
  const mentioning = listMentions('{contract,server,client/sdk,test/support}/**/*.ts', operationId);
  expect(mentioning).toEqual(excerpts.map(([path]) => path).slice(0, 2));
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
