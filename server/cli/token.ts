import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { rotateKeyRing } from '../tokens/key-ring.ts';
import { requireDatabase } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

export function addToken(program: Command, terminal: Terminal): void {
  const token = program.command('token').description('The keys that visitor tokens are signed with.');

  addCommand(
    token,
    'rotate',
    'Sign with a new key; tokens that are out stay valid until they expire by themselves.',
  ).action((options: { readonly json?: boolean }) => rotate(terminal, options));
}

function rotate(terminal: Terminal, options: { readonly json?: boolean }): void {
  const config = readConfig(terminal.env);
  if (config.tokenKeys.length > 0) {
    throw new CommandFailed(
      'VISITOR_TOKEN_KEYS names the keys: put a new one first in it and restart the server.',
    );
  }
  requireDatabase(config);
  const { kid, signsFromMillis } = rotateKeyRing(config.dataDir, terminal.clock.now());
  const signsFrom = new Date(signsFromMillis).toISOString();
  print(terminal, options, { kid, signs_from: signsFrom }, `The key ${kid} signs from ${signsFrom}.`);
}
