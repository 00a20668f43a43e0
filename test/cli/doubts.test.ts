import { describe, expect, it } from 'vitest';
import { doubtsAbout } from '../../server/cli/config-warnings.ts';
import { readConfig } from '../../server/config.ts';
import { anInstallationForEach, cli, inStore } from './installation.ts';

anInstallationForEach();

const doubts = (settings: Record<string, string>) =>
  inStore((store) => doubtsAbout(readConfig(settings), store.workspaces));

describe('a server that starts', () => {
  it('doubts that region headers are wanted from nobody', async () => {
    await cli.createWorkspace();
    expect(await doubts({ EDGE_PROVIDER: 'fastly' })).toEqual([
      expect.stringContaining('EDGE_PROVIDER without TRUSTED_PROXIES has no effect'),
    ]);
    expect(await doubts({ EDGE_PROVIDER: 'fastly', TRUSTED_PROXIES: 'loopback' })).toEqual([]);
  });

  it('doubts that a workspace is meant which is not there', async () => {
    const { app_id, tenant_id } = await cli.createWorkspace();
    expect(await doubts({})).toEqual([]);
    expect(await doubts({ ROLLOUT: `${app_id},gp_typo,${tenant_id}` })).toEqual([
      'ROLLOUT names gp_typo, and there is no such workspace',
    ]);
  });

  it('knows that the demo workspace is about to come, where it is', async () => {
    await cli.createWorkspace();
    expect(await doubts({ ROLLOUT: 'gp_demo' })).toEqual([]);
    expect(await doubts({ ROLLOUT: 'gp_demo', GUIDEPOST_DEMO: 'off' })).toHaveLength(1);
  });
});
