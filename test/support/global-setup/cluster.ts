import { query } from '../cluster/databases.ts';
import { startPostgres } from '../cluster/servers.ts';

/** Starts one PostgreSQL server for all files, which make databases of their own on it. */
export default async function setUp(): Promise<(() => Promise<void>) | undefined> {
  // Vitest calls this once for each project.
  if (process.env.CLUSTER_POSTGRES_URL) return undefined;
  const server = await startPostgres();
  const url = server.url('postgres');
  await query(url, 'CREATE ROLE guidepost_owner LOGIN');
  await query(url, 'CREATE ROLE guidepost_app LOGIN');
  process.env.CLUSTER_POSTGRES_URL = url;
  return server.remove;
}
