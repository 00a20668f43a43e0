import { afterEach, beforeEach } from 'vitest';
import { createGuide, type GuideOptions } from '../../client/sdk/index.ts';
import { bootReply, json, openScriptedServer, type ScriptedServer } from './scripted-server.ts';

/** A scripted server on which a guide can boot, new for each test. */

export let server: ScriptedServer;

export function aScriptedServerForEach(): void {
  beforeEach(async () => {
    server = await openScriptedServer();
    server.answer('/boot', json(bootReply('token')));
  });
  afterEach(() => server.close());
}

export const openGuide = (options: Partial<GuideOptions> = {}) =>
  createGuide({ baseUrl: server.baseUrl, appId: 'gp_demo', origin: 'https://shop.example', ...options });
