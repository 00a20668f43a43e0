import { afterAll, beforeAll, expect, it } from 'vitest';
import { exportedConversation } from '../../contract/export.ts';
import { CHAT_LIMITS } from '../../contract/limits/chat.ts';
import { createExportClient, rowsOfCsv } from '../support/export-client.ts';
import { question } from '../support/harness.ts';
import { expectError, readResponse } from '../support/response.ts';
import type { Team } from '../support/team.ts';
import { accept, openShop, visit } from '../support/visitor-actions.ts';

let team: Team;
let visitor: Awaited<ReturnType<typeof visit>>;
beforeAll(async () => {
  team = await openShop();
  visitor = await visit(team);
  await accept(team, visitor);
});
afterAll(() => team.close());

const IDS = [
  'a space, a comma and "quotes"',
  'path/../to?query=1#fragment%2F',
  'Gespräch №7 🙂 محادثة',
  'two\r\nlines\t',
  '=HYPERLINK("https://evil.example")',
  '<script>alert(1)</script>',
  '__proto__',
  'x'.repeat(CHAT_LIMITS.clientIdCharsMax),
  '版'.repeat(CHAT_LIMITS.clientIdCharsMax),
];

async function readOwn(id: string) {
  const headers = { authorization: `Bearer ${visitor.jwt}` };
  return readResponse<{ conversation_id: string; turns: unknown[] }>(
    team.harness.fetch(`/conversations/${encodeURIComponent(id)}`, { headers }),
  );
}

/** Each id with the one that is kept. */
const KEPT: readonly (readonly [string, string])[] = [
  ...IDS.map((id) => [id, id] as const),
  ['nul \0 and half \ud83d', 'nul \ufffd and half \ufffd'],
];

it.each(KEPT)('keeps the conversation id %j', async (sent, kept) => {
  for (const turn_idx of [0, 1]) {
    const [start] = await team.harness.ask(visitor.jwt, { conversation_id: sent, turn_idx });
    expect(start).toMatchObject({ conversation_id: kept, conversation_rotated: false, turn_idx });
  }
  const { status, json } = await readOwn(kept);
  expect(status).toBe(200);
  expect([json.conversation_id, json.turns.length]).toEqual([kept, 2]);
  const shown = await team
    .as('member')
    .get<{ conversation: { id: string } }>(`/conversations/${encodeURIComponent(kept)}`);
  expect(shown.json.conversation.id).toBe(kept);
});

it('pages through conversations with any id, and escapes ids that a spreadsheet would run', async () => {
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const more: string = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { json } = await team
      .as('member')
      .get<{ data: { id: string }[]; nextCursor?: string }>(`/conversations?limit=1${more}`);
    seen.push(...json.data.map(({ id }) => id));
    cursor = json.nextCursor;
  } while (cursor !== undefined);
  expect(seen).toEqual(expect.arrayContaining(IDS));

  const exporter = await createExportClient(team);
  const exported = await exporter.all<{ id: string }>('/conversations?limit=1');
  expect(exported.map(({ id }) => id)).toEqual(expect.arrayContaining(IDS));

  const rows = rowsOfCsv((await exporter.get('/conversations.csv')).text, exportedConversation);
  expect(rows.map(({ id }) => id)).toContain('\'=HYPERLINK("https://evil.example")');
});

it.each([
  ['empty', ''],
  ['too long', 'x'.repeat(CHAT_LIMITS.clientIdCharsMax + 1)],
])('rejects a conversation id that is %s', async (_what, conversation_id) => {
  const response = await readResponse(
    team.harness.fetch('/chat', {
      json: question({ conversation_id }),
      headers: { authorization: `Bearer ${visitor.jwt}` },
    }),
  );
  expect(expectError(response, 'request/invalid').issues).toMatchObject([{ path: 'body.conversation_id' }]);
});
