import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { newId } from '../base/ids.ts';
import { openImport, type ImportProgress, type ImportReport, importArticles } from '../knowledge/import/import.ts';
import type { Store } from '../storage/store.ts';
import { HELP_CENTRE_DEFAULTS, SETTINGS_DEFAULTS } from '../storage/workspace-settings.ts';
import type { Workspace } from '../storage/workspaces.ts';
import { readFile } from 'node:fs/promises';
import { CSS, HTML, JAVASCRIPT, type PublicFile } from '../http/static.ts';

/** The workspace behind the demo page, with real help articles in several languages. */

export const DEMO_APP_ID = 'gp_demo';
/** The folder with the articles and their licence notice. */
export const DEMO_KNOWLEDGE_DIR = join(import.meta.dirname, 'knowledge');
/** Written by `make vectors`. */
export const DEMO_VECTORS_FILE = join(DEMO_KNOWLEDGE_DIR, 'gnome-help-vectors.jsonl');
const KNOWLEDGE_FILE = 'gnome-help.jsonl';
const SOURCE_LOCALE = 'en';
const SUGGESTIONS = [
  'How do I take a screenshot?',
  'How can I make text larger on the screen?',
  'Why does my wireless network disconnect?',
];
const ACTOR = 'demo';

type Demo = {
  workspace: Workspace;
  /** Whether this start created the workspace. */
  created: boolean;
  /**
   * Resolves when all articles are imported; undefined when an earlier start imported them. Rejects
   * when storage fails.
   */
  knowledge: Promise<ImportReport | undefined>;
};

type DemoDeps = {
  store: Pick<Store, 'workspaces' | 'in'>;
  clock: Clock;
  /** Canonical origins that may open the demo page. */
  origins: readonly string[];
  /** Overrides the folder, for a bundle that keeps its data elsewhere. */
  knowledgeDir?: string;
  onProgress?: (progress: ImportProgress) => void;
  signal?: AbortSignal;
};

/**
 * Creates the demo workspace in an empty database and imports its articles in the background; an
 * interrupted import resumes at the next start. Also allows origins that the page has moved to.
 * Returns undefined and changes nothing when there are other workspaces and no demo.
 */
export async function ensureDemo(deps: DemoDeps): Promise<Demo | undefined> {
  const existing = await deps.store.workspaces.findByAppId(DEMO_APP_ID);
  if (existing) return buildDemo(await withOrigins(existing, deps), false, deps);
  if ((await deps.store.workspaces.list()).length > 0) return undefined;
  const outcome = await deps.store.workspaces.create({
    id: newId('ws'),
    appId: DEMO_APP_ID,
    name: 'GNOME Help (demo)',
    settings: {
      ...SETTINGS_DEFAULTS,
      allowedOrigins: [...deps.origins],
      sourceLocale: SOURCE_LOCALE,
      suggestions: SUGGESTIONS,
      helpCentre: { ...HELP_CENTRE_DEFAULTS, enabled: true, title: 'GNOME Help' },
    },
    createdAt: deps.clock.now(),
  });
  const workspace = await deps.store.workspaces.findByAppId(DEMO_APP_ID);
  // Another process that started at the same time may have created the workspace.
  return workspace && buildDemo(workspace, outcome === 'created', deps);
}

function buildDemo(workspace: Workspace, created: boolean, deps: DemoDeps): Demo {
  const knowledge = importKnowledge(workspace, deps);
  // Avoid an unhandled rejection when the caller ignores the import.
  knowledge.catch(() => {});
  return { workspace, created, knowledge };
}

async function withOrigins(workspace: Workspace, { store, origins, clock }: DemoDeps): Promise<Workspace> {
  const currentOrigins = workspace.settings.allowedOrigins;
  const added = origins.filter((origin) => !currentOrigins.includes(origin));
  if (added.length === 0) return workspace;
  const settings = { ...workspace.settings, allowedOrigins: [...currentOrigins, ...added] };
  return (await store.workspaces.change(workspace.id, { settings }, clock.now())) ?? workspace;
}

async function importKnowledge(workspace: Workspace, deps: DemoDeps): Promise<ImportReport | undefined> {
  const { articles, audit } = deps.store.in(workspace.id);
  if (await wasImported(audit)) return undefined;
  const articleSource = await openImport(
    join(deps.knowledgeDir ?? DEMO_KNOWLEDGE_DIR, KNOWLEDGE_FILE),
    SOURCE_LOCALE,
    deps.clock.now(),
  );
  return importArticles(
    articleSource,
    { workspaceId: workspace.id, articles, audit, clock: deps.clock, actor: ACTOR },
    {
      ...(deps.onProgress ? { onProgress: deps.onProgress } : {}),
      ...(deps.signal ? { signal: deps.signal } : {}),
    },
  );
}

const AUDIT_PAGE = 500;

/** Tells by its audit row whether an import finished. Importing again would undo later changes to the articles. */
async function wasImported(audit: ReturnType<Store['in']>['audit']): Promise<boolean> {
  for (let before: string | undefined; ; ) {
    const page = await audit.list(AUDIT_PAGE, before);
    if (page.some(({ actor, action }) => actor === ACTOR && action === 'knowledge.imported')) return true;
    before = page.at(-1)?.id;
    if (before === undefined || page.length < AUDIT_PAGE) return false;
  }
}

type DemoPage = { folder: URL; appId: string; apiBaseUrl: () => string };

/** Allows only the page's own scripts and the guide's, because the page shares its origin with the dashboard. */
const buildContentSecurityPolicy = (api: string) =>
  `default-src * data: blob:; script-src 'self' ${api}; object-src 'none'; base-uri 'none'; frame-ancestors 'none'`;

/** Lists the files of the demo page, a fictional customer's page that contains the script tag. */
export function listDemoFiles({ folder, appId, apiBaseUrl }: DemoPage): PublicFile[] {
  const read = (name: string) => readFile(new URL(name, folder), 'utf8');
  return [
    {
      path: '/demo',
      contentType: HTML,
      usesMicrophone: true,
      read: async () =>
        (await read('index.html')).replaceAll('{{app_id}}', appId).replaceAll('{{api}}', apiBaseUrl()),
      contentSecurityPolicy: () => buildContentSecurityPolicy(apiBaseUrl()),
    },
    { path: '/demo/demo.css', contentType: CSS, read: () => read('demo.css') },
    { path: '/demo/demo.js', contentType: JAVASCRIPT, read: () => read('demo.js') },
  ];
}
