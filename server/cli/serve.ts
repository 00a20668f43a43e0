import type { Command } from 'commander';
import { describeOpenFile } from '../base/files.ts';
import { DEMO_APP_ID } from '../demo/demo.ts';
import { type Config, ConfigError, readConfig } from '../settings/config.ts';
import type { Workspaces } from '../storage/store.ts';
import { addCommand, CommandFailed, type Terminal } from './terminal.ts';

export function addServe(program: Command, terminal: Terminal): void {
  addCommand(program, 'serve', 'Run the server until SIGTERM or Ctrl-C.').action(async () => {
    // Lazy: the other commands start faster without the server's code.
    const { explainStartError, serve } = await import('../main.ts');
    try {
      const config = readConfig(terminal.env);
      const { store, log } = await serve(config);
      const exposure = config.database.postgres ? undefined : describeOpenFile(config.database.file);
      if (exposure !== undefined) log.warn(exposure);
      // Only advice: a failure here must not stop the server.
      const warnings = await findConfigWarnings(config, store.workspaces).catch(() => []);
      for (const warning of warnings) log.warn(warning);
    } catch (error) {
      throw error instanceof ConfigError
        ? error
        : new CommandFailed(explainStartError(error), { cause: error });
    }
  });
}

/** Returns one sentence for each valid setting that is probably a mistake. */
export async function findConfigWarnings(
  { edgeProvider, trustsProxy, rollout, demo }: Config,
  workspaces: Pick<Workspaces, 'find' | 'findByAppId'>,
): Promise<readonly string[]> {
  const warnings: string[] = [];
  if (edgeProvider && !trustsProxy) {
    warnings.push(
      'EDGE_PROVIDER has no effect without TRUSTED_PROXIES: region headers are only trusted from a trusted proxy',
    );
  }
  for (const id of rollout) {
    // The demo workspace is created after the start.
    const exists =
      (demo && id === DEMO_APP_ID) || (await workspaces.findByAppId(id)) || (await workspaces.find(id));
    if (!exists) warnings.push(`ROLLOUT contains ${id}, but no such workspace exists`);
  }
  return warnings;
}
