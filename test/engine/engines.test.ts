import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import { openEngine } from '../../server/engine/open-engine.ts';
import { describeEngine, type OpenedEngine } from './engine.suite.ts';
import { openFakeModel } from './fake-model/fake-model.ts';

const ANSWER =
  'Open the sign-in page. [[1|Open the sign-in page and choose "Forgot password"]] The link lasts an hour [[1|The link works for one hour]].';

async function openLlm(
  prepare: (fake: Awaited<ReturnType<typeof openFakeModel>>) => void,
): Promise<OpenedEngine> {
  const fake = await openFakeModel();
  prepare(fake);
  const { engine, close } = await openEngine(fake.settings(), { now: Date.now });
  return {
    engine,
    async close() {
      close();
      await fake.close();
    },
  };
}

describeEngine('the engine that quotes', async () => ({ engine: createExtractiveEngine(), close() {} }));
describeEngine('the engine that writes', () => openLlm((fake) => fake.says(ANSWER)));
describeEngine('the engine that writes, in crumbs', () =>
  openLlm((fake) => fake.says(ANSWER, { chunkSize: 1 })),
);
describeEngine('the engine that writes, whose model is down', () => openLlm((fake) => fake.errors(500)));
