import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createAccount } from '../../client/sdk/index.ts';

/** The table of methods in docs/client.md. */

const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8');
const rows = [...page.matchAll(/^\| `(account|tenant)(?:\.(\w+))?` \| (.+) \|$/gm)];

const account = createAccount({ baseUrl: 'https://guide.example.com' });
const objects = { account, tenant: account.tenant('ws_01kakv2fxse7wtg6x5r0h8rjbm') };
/** Methods that are explained below the table. */
const EXPLAINED = ['id', 'call', 'list'];

/** Returns the methods in a cell such as "`search`, `conversations.list / read`". */
function parseMethods(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, text]) => {
    const [path = '', ...more] = text!.split(' / ');
    const group = path.split('.').slice(0, -1).join('.');
    return [path, ...more.map((name) => `${group}.${name}`)];
  });
}

function listMethods(value: object, prefix = ''): string[] {
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'object' ? listMethods(member, `${prefix}${name}.`) : [`${prefix}${name}`],
  );
}

it.each(['account', 'tenant'] as const)('the table in docs/client.md lists every method of %s', (object) => {
  const documented = rows.flatMap(([, owner, group, cell]) =>
    owner === object ? parseMethods(cell!).map((name) => (group ? `${group}.${name}` : name)) : [],
  );
  const existing = listMethods(objects[object]).filter((name) => !EXPLAINED.includes(name));
  expect(documented.toSorted()).toEqual(existing.toSorted());
});
