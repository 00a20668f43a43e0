/** Databases on the PostgreSQL server that test/support/global-setup/cluster.ts has started. */
import pg from 'pg';
import { migrate } from '../../../server/storage/postgres/migrate.ts';

export type TestDatabase = {
  /** URL for the role of the service, which owns nothing. */
  url: string;
  /** URL for the role that owns the tables. */
  ownerUrl: string;
  /** URL for the superuser, to whom no policy applies. */
  superuserUrl: string;
  query<Row extends object>(text: string, values?: unknown[]): Promise<Row[]>;
  drop(): Promise<void>;
};

let count = 0;
let template: Promise<string> | undefined;

export async function emptyDatabase(): Promise<TestDatabase> {
  return createDatabase('template0');
}

/** Copies a migrated database, which takes less than migrating an empty one. */
export async function migratedDatabase(): Promise<TestDatabase> {
  template ??= createTemplate();
  return createDatabase(await template);
}

/** Runs one statement as the superuser. */
export async function query<Row extends object>(
  url: string,
  text: string,
  values?: unknown[],
): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query<Row>(text, values)).rows;
  } finally {
    await client.end();
  }
}

async function createTemplate(): Promise<string> {
  const { url, ownerUrl } = await emptyDatabase();
  await migrate({ url, ownerUrl });
  return new URL(url).pathname.slice(1);
}

async function createDatabase(from: string): Promise<TestDatabase> {
  const server = process.env.CLUSTER_POSTGRES_URL;
  if (server === undefined) throw new Error('the PostgreSQL server of the tests has not been started');
  count += 1;
  const name = `test_${process.pid}_${count}`;
  await query(server, `CREATE DATABASE ${name} OWNER guidepost_owner TEMPLATE ${from}`);
  const toUrl = (role: string) => {
    const url = new URL(server);
    url.username = role;
    url.pathname = name;
    return url.href;
  };
  const superuserUrl = toUrl('postgres');
  return {
    url: toUrl('guidepost_app'),
    ownerUrl: toUrl('guidepost_owner'),
    superuserUrl,
    query: (text, values) => query(superuserUrl, text, values),
    async drop() {
      await query(server, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}
