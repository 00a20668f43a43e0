import { cp, mkdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { VERSION } from '../server/base/version.ts';
import { SWAGGER_UI_FILES } from '../server/http/static.ts';
import { buildDashboard } from './build-dashboard.ts';
import { buildEmbed } from './build-embed.ts';
import { packPackages } from './pack-client.ts';

/**
 * Builds dist/: the server, the script tag, the dashboard, and the packages of the client and the React components. The bundled server starts six times as fast as its
 * sources.
 */

const root = new URL('../', import.meta.url);
const dist = new URL('dist/', root);

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });

/** Each worker thread has a file of its own, beside the file that starts it. Other code is in shared chunks. */
const ENTRIES = {
  guidepost: 'server/cli/guidepost.ts',
  'indexing-worker': 'server/knowledge/search/indexing-worker.ts',
  'training-worker': 'server/knowledge/dictionary/training-worker.ts',
  'vector-worker': 'server/knowledge/embeddings/vector-worker.ts',
  'model-worker': 'server/knowledge/embeddings/model-worker.ts',
  'compaction-worker': 'server/storage/sqlite/compaction-worker.ts',
  'check-worker': 'server/storage/sqlite/check-worker.ts',
  'backup-worker': 'server/backup/backup-worker.ts',
  'document-worker': 'server/public/document-worker.ts',
  'reader-worker': 'server/sources/reader-worker.ts',
};

const bundle = await rolldown({
  input: Object.fromEntries(
    Object.entries(ENTRIES).map(([name, source]) => [name, new URL(source, root).pathname]),
  ),
  platform: 'node',
  // Native code cannot be bundled.
  external: ['better-sqlite3'],
  // The paths in tsconfig.json lead to type packages.
  tsconfig: false,
  logLevel: 'warn',
  transform: { define: { GUIDEPOST_COMMIT: JSON.stringify(VERSION.commit) } },
});
// Dynamic imports become chunks, which are loaded on first use.
await bundle.write({
  dir: dist.pathname,
  entryFileNames: '[name].js',
  chunkFileNames: 'guidepost-[name]-[hash].js',
  format: 'esm',
  // Comments with licences are not needed: the package lists the licences in a file.
  comments: false,
  // Keeps names, for stack traces in the log.
  minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
  sourcemap: true,
});
await bundle.close();

for (const engine of ['sqlite', 'postgres']) {
  const migrations = new URL(`generated/migrations/${engine}/`, root);
  await cp(migrations, new URL('migrations/', dist), { recursive: true });
}
await cp(new URL('server/demo/knowledge/', root), new URL('knowledge/', dist), { recursive: true });
for (const name of SWAGGER_UI_FILES) {
  const file = import.meta.resolve(`swagger-ui-dist/${name}`);
  await cp(fileURLToPath(file), fileURLToPath(new URL(`swagger-ui/${name}`, dist)));
}
await buildEmbed(dist.pathname);
await buildDashboard(new URL('dashboard', dist).pathname);
await packPackages(dist.pathname);
