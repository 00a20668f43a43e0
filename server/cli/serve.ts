import type { Command } from 'commander';
import { ConfigError, readConfig } from '../config.ts';
import { doubtsAbout } from './config-warnings.ts';
import { addCommand, CommandFailed, type Terminal } from './terminal.ts';

export function addServe(program: Command, terminal: Terminal): void {
  addCommand(program, 'serve', 'Run the server until it is told to stop (SIGTERM or Ctrl-C).').action(
    async () => {
      // The other commands start faster without the server's code.
      const { explainStartError, serve } = await import('../main.ts');
      try {
        const config = readConfig(terminal.env);
        const { store, log } = await serve(config);
        // It serves already, whatever comes of looking twice.
        const doubts = await doubtsAbout(config, store.workspaces).catch(() => []);
        for (const doubt of doubts) log.warn(doubt);
      } catch (error) {
        throw error instanceof ConfigError
          ? error
          : new CommandFailed(explainStartError(error), { cause: error });
      }
    },
  );
}
