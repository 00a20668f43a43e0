import { onTestFinished } from 'vitest';
import { openPostgres } from '../../server/storage/postgres/open.ts';
import { migratedDatabase } from '../cluster/databases.ts';
import { describeStore } from './store.suite.ts';

describeStore('the PostgreSQL store', async () => {
  const { url, drop } = await migratedDatabase();
  const open = () => openPostgres({ url, poolMax: 6, pooler: 'direct', waitMillis: 5_000 });
  let store = await open();
  onTestFinished(drop);
  return {
    store,
    async reopen() {
      await store.close();
      store = await open();
      return store;
    },
  };
});
