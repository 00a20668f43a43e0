import { openSqlite } from '../../server/storage/sqlite/open.ts';
import { describeStore } from './store.suite.ts';
import { temporaryFile } from './temporary-store.ts';

describeStore('the SQLite store', async () => {
  const file = temporaryFile();
  let store = openSqlite({ file });
  return {
    store,
    async reopen() {
      await store.close();
      store = openSqlite({ file });
      return store;
    },
  };
});
