import { describe, expect, it } from 'vitest';
import { findConfigWarnings } from '../../server/cli/config-warnings.ts';
import { readConfig } from '../../server/config.ts';
import { anInstallationForEach, cli, inStore } from './command-line.ts';

anInstallationForEach();

const findWarnings = (settings: Record<string, string>) =>
  inStore((store) => findConfigWarnings(readConfig(settings), store.workspaces));

describe('findConfigWarnings', () => {
  it('warns about EDGE_PROVIDER without TRUSTED_PROXIES', async () => {
    await cli.createWorkspace();
    expect(await findWarnings({ EDGE_PROVIDER: 'fastly' })).toEqual([
      expect.stringContaining('EDGE_PROVIDER has no effect without TRUSTED_PROXIES'),
    ]);
    expect(await findWarnings({ EDGE_PROVIDER: 'fastly', TRUSTED_PROXIES: 'loopback' })).toEqual([]);
  });

  it('warns about unknown workspaces in ROLLOUT', async () => {
    const { app_id, tenant_id } = await cli.createWorkspace();
    expect(await findWarnings({})).toEqual([]);
    expect(await findWarnings({ ROLLOUT: `${app_id},gp_typo,${tenant_id}` })).toEqual([
      'ROLLOUT contains gp_typo, but no such workspace exists',
    ]);
  });

  it('accepts the demo workspace in ROLLOUT unless the demo is off', async () => {
    await cli.createWorkspace();
    expect(await findWarnings({ ROLLOUT: 'gp_demo' })).toEqual([]);
    expect(await findWarnings({ ROLLOUT: 'gp_demo', GUIDEPOST_DEMO: 'off' })).toHaveLength(1);
  });
});
