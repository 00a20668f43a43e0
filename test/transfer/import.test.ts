import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newId } from '../../server/ids.ts';
import type { Turn } from '../../server/storage/conversations.ts';
import type { Store } from '../../server/storage/store.ts';
import { clock, openHarness } from '../harness.ts';
import { openTurn, workspace } from '../storage/samples.ts';
import {
  anArchiveAndAFolderForEach,
  archive,
  cli,
  dataDir,
  exportAgain,
  fileOf,
  folder,
  inStore,
  lineOf,
  lines,
  team,
} from './installations.ts';

anArchiveAndAFolderForEach();

describe('workspace archive', () => {
  it('is identical byte for byte when exported from the importing installation', async () => {
    const outcome = await cli.json(['workspace', 'import', fileOf(archive)]);
    expect(outcome).toMatchObject({
      tenant_id: team.workspace.id,
      app_id: team.workspace.appId,
      rows: { article: 6, turn: 2, feedback: 1, end: 1 },
    });
    expect(await exportAgain(team.workspace.id)).toBe(archive);
    expect((await cli.json(['workspace', 'list'])).map(({ name }: { name: string }) => name)).toEqual([
      'canaryword the shop',
    ]);
  });

  it('is the same on standard output', async () => {
    await cli.json(['workspace', 'import', fileOf(archive)]);
    const { code, stdout } = await cli.here(['workspace', 'export', '--workspace', team.workspace.appId]);
    expect(code).toBe(0);
    expect(stdout).toBe(archive);
  });

  it('serves the same articles after the import, with a valid consent log', async () => {
    await cli.json(['workspace', 'import', fileOf(archive)]);
    expect(await cli.json(['consent', 'verify', '--workspace', team.workspace.id])).toMatchObject({
      ok: true,
      records: 1,
    });
    const there = await openHarness({ dataDir });
    const headers = { 'accept-language': 'de' };
    const question = { message: 'Wo leuchten die Laternen?', conversation_id: 'there' };
    const cited = async (harness: typeof there) => {
      const { jwt } = await harness.boot();
      const events = await harness.ask(jwt, question, headers);
      return events.flatMap((event) => {
        if (event.type !== 'citation') return [];
        const { article_id, translation_id, revision, quote } = event;
        return [{ article_id, translation_id, revision, quote }];
      });
    };
    const here = await cited(team.harness);
    expect(here[0]).toMatchObject({ translation_id: team.translationPath.split('/').at(-1) });
    expect(await cited(there)).toEqual(here);
    await there.close();
  });

  it('imports users without passwords, and leaves existing accounts apart', async () => {
    await inStoreOfNew(async (store) => {
      const own = workspace();
      const email = 'canaryword-owner@shop.example';
      await store.workspaces.create(own, {
        memberId: newId('mem'),
        userId: newId('usr'),
        email,
        passwordHash: 'kept',
      });
    });
    await cli.json(['workspace', 'import', fileOf(archive)]);
    await inStore(async ({ users, memberships }) => {
      const known = await users.listByEmail('canaryword-owner@shop.example').then(([first]) => first);
      expect(known?.passwordHash).toBe('kept');
      expect(await memberships.ofUser(known!.id)).toHaveLength(1);
      expect(await users.listByEmail('admin@shop.example').then(([first]) => first)).toMatchObject({
        passwordHash: '',
      });
    });
  });
});

/** Creates the installation first. */
async function inStoreOfNew(action: (store: Store) => Promise<void>): Promise<void> {
  await cli.createWorkspace();
  await inStore(action);
}

describe('import conflicts', () => {
  it('rejects an archive of a workspace that already exists', async () => {
    await cli.json(['workspace', 'import', fileOf(archive)]);
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(archive)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${team.workspace.id} is here already`)]);
    expect(await exportAgain(team.workspace.id)).toBe(archive);
  });

  it('rejects an archive with an app id that is taken', async () => {
    await cli.createWorkspace('--app-id', team.workspace.appId);
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(archive)]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${team.workspace.appId} belongs to`)]);
  });

  it('replaces an empty workspace and imports its members', async () => {
    const { tenant_id } = await cli.createWorkspace(
      '--app-id',
      team.workspace.appId,
      '--owner-email',
      'OWNER@shop.example',
    );
    await cli.json(['workspace', 'import', fileOf(archive), '--into', tenant_id]);
    expect(
      (await cli.json(['workspace', 'list'])).map((each: { tenant_id: string }) => each.tenant_id),
    ).toEqual([team.workspace.id]);
    const imported = lines.filter((line) => line.startsWith('{"type":"member"')).length;
    await inStore(async (store) => {
      const members = await store.in(team.workspace.id).members.list();
      // The owner of the empty workspace has the email of an imported member.
      expect(members).toHaveLength(imported);
      expect(await store.workspaces.find(tenant_id)).toBeUndefined();
    });
  });

  it('keeps members who are not in the archive', async () => {
    const { tenant_id, owner_id } = await cli.createWorkspace('--owner-email', 'owner@new.example');
    await cli.json(['workspace', 'import', fileOf(archive), '--into', tenant_id]);
    await inStore(async (store) => {
      const members = await store.in(team.workspace.id).members.list();
      expect(members).toContainEqual(
        expect.objectContaining({ id: owner_id, email: 'owner@new.example', role: 'owner' }),
      );
    });
  });

  it('rejects replacing a workspace that is not empty', async () => {
    const { tenant_id } = await cli.createWorkspace();
    const knowledge = join(folder, 'one.jsonl');
    writeFileSync(knowledge, '{"slug":"one","locale":"en","title":"One","answer":"One."}');
    await cli.json(['knowledge', 'import', '--workspace', tenant_id, knowledge]);
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(archive), '--into', tenant_id]);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${tenant_id} is not empty`)]);
    const nowhere = await cli.here(['workspace', 'import', fileOf(archive), '--into', 'ws_nobody']);
    expect(nowhere.code).toBe(1);
  });

  it('rejects message ids that another workspace uses, and keeps that workspace unchanged', async () => {
    await cli.createWorkspace();
    const { messageId } = JSON.parse(lines[lineOf('turn') - 1]!) as Turn;
    const there = workspace();
    await inStore(async (store) => {
      await store.workspaces.create(there);
      await store.in(there.id).conversations.openTurn(openTurn({ messageId }), []);
    });
    const { code, stderr } = await cli.here(['workspace', 'import', fileOf(archive)]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`line ${lineOf('turn')}: expected something new`),
    ]);
    await inStore(async (store) => {
      expect(await store.in(there.id).conversations.findTurn(messageId)).toBeDefined();
      expect(await store.workspaces.find(team.workspace.id)).toBeUndefined();
    });
  });

  it('imports conversations whose ids another workspace uses', async () => {
    await cli.createWorkspace();
    const { conversationId } = JSON.parse(lines[lineOf('turn') - 1]!) as Turn;
    const there = workspace();
    const theirs = openTurn({ conversationId });
    await inStore(async (store) => {
      await store.workspaces.create(there);
      await store.in(there.id).conversations.openTurn(theirs, []);
    });
    await cli.json(['workspace', 'import', fileOf(archive)]);
    await inStore(async (store) => {
      const [own, others] = [team.workspace.id, there.id].map((id) => store.in(id).conversations);
      const ids = (await own!.turns(conversationId, 10)).map(({ messageId }) => messageId);
      expect(ids.length).toBeGreaterThan(0);
      expect(ids).not.toContain(theirs.messageId);
      expect(await others!.turns(conversationId, 10)).toMatchObject([{ messageId: theirs.messageId }]);
    });
  });
});

describe('import in progress', () => {
  it('is invisible, blocks a second import, and is removed once it stalls', async () => {
    await cli.createWorkspace();
    const { id, appId } = team.workspace;
    await inStore(async (store) => {
      const unfinished = { ...workspace({ id, appId }), enabled: true, version: 1, updatedAt: 1 };
      expect(await store.workspaceImports.begin(unfinished, clock.now() + 60_000)).toBe('begun');
      expect(await store.workspaces.find(id)).toBeUndefined();
      expect(await store.workspaces.findByAppId(appId)).toBeUndefined();
      expect(await store.workspaces.list()).toHaveLength(1);
    });
    const second = await cli.here(['workspace', 'import', fileOf(archive)]);
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('under way')]);
    clock.advance(61_000);
    await cli.json(['workspace', 'import', fileOf(archive)]);
    expect(await exportAgain(id)).toBe(archive);
  });
});
