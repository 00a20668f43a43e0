import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../../scripts/pack-client.ts';
import { openTeam, PASSWORD } from '../../support/team.ts';

/** Strict code that uses the installed client, without types of any other package. */
const SOURCE = `
import {
  type Answer, type AnyGuideError, type Article, type BootReply, type ChatEvent, type ExportedEvent,
  type GuideMessage, accumulate, createAccount, createExporter, createGuide, createTenant, isConflict, isGuideError, snapshots, withVoice,
} from '@guidepost/client';
import { readUsage } from '@guidepost/client/operations';
import type { GuidepostOnPage } from '@guidepost/client/page';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const same = <A, B>(_: Same<A, B>) => {};
/** Fails if a type is any, which would match everything. */
same<BootReply['visitor_id'], string>(true);
same<BootReply['jwt'], string | null>(true);
same<Extract<ExportedEvent, { type: 'boot' }>['type'], 'boot'>(true);

const guide = withVoice(createGuide({ baseUrl: 'https://guide.example.com', appId: 'gp_x' }));
const booted: Answer<BootReply> = guide.boot();

export async function ask(message: string): Promise<string> {
  const { response } = await booted.withResponse();
  let text = response.headers.get('x-request-id') ?? '';
  for await (const event of guide.chat({ message, domDigest: 'main', url: 'https://shop.example/' })) {
    same<typeof event, ChatEvent>(true);
    if (event.type === 'text_delta') text += event.delta;
    // @ts-expect-error Only some events have a delta.
    event.delta;
  }
  for await (const answer of snapshots(guide.chat({ message, domDigest: 'main', url: 'https://shop.example/' })))
    same<typeof answer, GuideMessage>(true);
  const tenantUsage = await createTenant({ baseUrl: '', tenantId: 'ws_x' }).call(readUsage);
  same<typeof tenantUsage extends object ? true : false, true>(true);
  same<ReturnType<GuidepostOnPage['open']>, void>(true);
  // @ts-expect-error A rating is up or down.
  await guide.rate('msg_x', 'sideways');
  // @ts-expect-error A turn needs its page.
  guide.chat({ message });
  return text;
}

export async function write(): Promise<Article> {
  const tenant = createTenant({ tenantId: 'ws_x', account: createAccount({ baseUrl: '' }) });
  const article = await tenant.articles.create({ title: 'A', answer: 'B' });
  for await (const row of tenant.articles.list({ status: 'published' })) same<typeof row.revision, number>(true);
  for await (const row of createExporter({ baseUrl: '', apiKey: 'x' }).events({ type: 'boot' }))
    same<typeof row.type, 'boot'>(true);
  try {
    return await tenant.articles.edit(article, { title: 'A', answer: 'C' });
  } catch (error) {
    if (isConflict(error)) same<typeof error.currentRevision, number>(true);
    if (isGuideError(error)) throw new Error(sentence(error));
    throw error;
  }
}

function sentence(error: AnyGuideError): string {
  switch (error.code) {
    case 'rate_limit/exceeded':
      return error.bucket + error.retryAfterSeconds.toFixed();
    case 'network':
      return 'offline';
    default:
      // @ts-expect-error There are other codes.
      const none: never = error;
      return \`\${none}\`;
  }
}
`;

const STRICT = {
  noEmit: true,
  strict: true,
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  target: 'es2022',
  types: [],
};

const NODE_LIBS = ['es2022', 'dom', 'dom.asynciterable'];

/** Compiler options of Node servers and of a bundled page. The `.cts` file is CommonJS. */
const SETTINGS: Readonly<Record<string, object>> = {
  'tsconfig.node16.json': { module: 'node16', lib: NODE_LIBS },
  'tsconfig.nodenext.json': { module: 'nodenext', lib: NODE_LIBS },
  'tsconfig.bundler.json': { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom'] },
};

/** Writes the code and its tsconfig files into a project; returns the names of the tsconfig files. */
export async function writeConsumers(folder: string): Promise<string[]> {
  const files = ['consumer.ts', 'consumer.cts'];
  for (const file of files) await writeFile(join(folder, file), SOURCE);
  for (const [name, options] of Object.entries(SETTINGS)) {
    const settings = { compilerOptions: { ...STRICT, ...options }, files };
    await writeFile(join(folder, name), JSON.stringify(settings));
  }
  return Object.keys(SETTINGS);
}

const run = promisify(execFile);

/** A project whose only dependency is the packed client. */
export type Project = {
  folder: string;
  tarball: string;
  /** The package folder before packing. */
  written: string;
  remove: () => Promise<void>;
};

export async function openProject(): Promise<Project> {
  const root = await mkdtemp(join(tmpdir(), 'guidepost-package-'));
  const written = join(root, 'written');
  const folder = join(root, 'project');
  const tarball = await packClient(written);
  await cp(new URL('./', import.meta.url), folder, {
    recursive: true,
    filter: (path) => /\/(runtimes\/?|[a-z]+\.c?js)$/.test(path),
  });
  await writeFile(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'project', private: true, type: 'module' }),
  );
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder });
  return { folder, tarball, written, remove: () => rm(root, { recursive: true, force: true }) };
}

/** A service with articles, an owner and an API key; `target` is what the scenario gets. */
export async function openService() {
  const team = await openTeam();
  const { baseUrl, appId, origin } = team.harness;
  const owner = team.as('owner');
  const { json } = await owner.post<{ key: string }>('/api-keys', {
    name: 'Runtimes',
    scopes: ['events:read'],
  });
  const target = {
    ...{ baseUrl, appId, origin },
    ...{ apiKey: json.key, tenantId: team.workspace.id, email: owner.email, password: PASSWORD },
  };
  return { team, target };
}
