import { setTimeout as pause } from 'node:timers/promises';
import type { Engine } from '../../server/engine/engine.ts';
import { serve } from '../../server/main.ts';
import { readConfig } from '../../server/settings/config.ts';

/** The real server with a slow engine, for tests of shutting down. */
const engine: Engine = {
  name: 'patient',
  // Like a model, it works elsewhere.
  costsTokens: true,
  async *answer({ text }, signal) {
    yield { type: 'text', delta: 'Let me think. ' };
    if (text === 'deaf') await new Promise(() => {});
    while (text === 'talkative' && !signal.aborted) {
      yield { type: 'text', delta: 'And so on. '.repeat(1000) };
      await pause(1);
    }
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  },
};

const service = await serve(readConfig(), { engine });
process.send?.(service.baseUrl());
