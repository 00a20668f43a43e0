import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LIMITS } from '../../contract/limits.ts';
import { newId } from '../../server/ids.ts';
import { commandLine } from '../cli/command-line.ts';
import { clock } from '../harness.ts';
import { openTurn } from '../storage/samples.ts';
import {
  anArchiveAndAFolderForEach,
  cli,
  type FilledOffice,
  fileOf,
  folder,
  openFilled,
  visit,
} from './installations.ts';

anArchiveAndAFolderForEach();

/** Stores the longest and strangest values that the service accepts. */
const ODD = '\u0001"\\\u2028👩‍🚀';

async function askOddly({ harness }: FilledOffice): Promise<void> {
  await harness.boot({ path: `/${'\u0001'.repeat(2000)}?x` });
  const { jwt, visitor_id: visitorId } = await visit(harness, 'accepted');
  const conversation_id = 'conv-odd';
  const message = ODD.repeat(LIMITS.messageCharsMax).slice(0, LIMITS.messageCharsMax - 1);
  await harness.ask(jwt, { conversation_id, message, turn_idx: LIMITS.turnIdxMax });
  const action_results = [{ action_id: ODD, outcome: 'done' }];
  const headers = { 'accept-language': 'sl-rozaj-biske-1994, i-klingon;q=0.5' };
  const [start] = await harness.ask(jwt, { conversation_id, action_results }, headers);
  const message_id = start?.type === 'message_start' ? start.message_id : '';
  const comment = ODD.repeat(LIMITS.feedbackCharsMax).slice(0, LIMITS.feedbackCharsMax);
  const rating = {
    json: { message_id, rating: 'down', comment },
    headers: { authorization: `Bearer ${jwt}` },
  };
  expect((await harness.fetch('/feedback', rating)).status).toBe(200);
  // As if the process had ended during the answer.
  const { conversations } = harness.service.store.in(harness.workspace.id);
  await conversations.openTurn(openTurn({ conversationId: conversation_id, visitorId }), []);
}

/** The English article becomes a German one, which archives its German translation. */
async function moveArticle({ harness, article, owner }: FilledOffice): Promise<void> {
  const { json } = await owner.get<{ slug: string }>(`/knowledge/articles/${article.id}`);
  const file = join(folder, 'moved.jsonl');
  writeFileSync(
    file,
    JSON.stringify({ slug: json.slug, locale: 'de', title: 'Laternen', answer: 'Sie leuchten.' }),
  );
  const there = commandLine(harness.dataDir, clock.now);
  await there.json(['knowledge', 'import', '--workspace', harness.workspace.id, file]);
}

it('an export of every accepted extreme imports and exports again byte for byte', async () => {
  const office = await openFilled('oddword');
  await askOddly(office);
  await moveArticle(office);
  const settings = { name: ODD.slice(1), voice: { timeZone: 'asia/calcutta' }, sourceLocale: 'iw' };
  expect((await office.owner.patch('', settings)).status).toBe(200);
  const { events } = office.harness.service.store.in(office.workspace.id);
  const data = { kind: 'realtime', provider: 'provider_a', seconds: 0.1 + 0.2, outcome: 'unreported' };
  await events.append([{ id: newId('evt'), atMillis: clock.now(), type: 'voice', data }]);
  const { text } = await office.owner.get('/export');
  expect(text).toContain('"turnIdx":10000');
  expect(text).toContain('"locale":"de","status":"archived"');
  await office.close();

  await cli.json(['workspace', 'import', fileOf(text)]);
  const { stdout } = await cli.here(['workspace', 'export', '--workspace', office.workspace.id]);
  expect(stdout).toBe(text);
});
