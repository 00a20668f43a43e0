import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { auditRow } from './audit-row.ts';
import { withStore } from './open-store.ts';
import { addCommand, print, type Terminal } from './terminal.ts';

type JsonOption = { readonly json?: boolean };

export function addKillswitch(program: Command, terminal: Terminal): void {
  const killswitch = program
    .command('killswitch')
    .description(
      'Switch the guide off for all workspaces at once, and on again; running servers follow within a second.',
    );

  for (const word of ['on', 'off'] as const) {
    const effect = word === 'on' ? 'Every boot is refused from now on.' : 'Serve again.';
    addCommand(killswitch, word, effect).action((options: JsonOption) =>
      flip(terminal, options, word === 'on'),
    );
  }
  addCommand(killswitch, 'status', 'Tell whether the guide is switched off.').action((options: JsonOption) =>
    status(terminal, options),
  );
}

async function flip(terminal: Terminal, options: JsonOption, on: boolean): Promise<void> {
  await withStore(terminal, async (store) => {
    const before = await store.featureFlags.isOn('kill_switch');
    await store.featureFlags.set('kill_switch', on, terminal.clock.now());
    // The switch belongs to no workspace, and every owner may ask why the guide was gone.
    for (const { id } of before === on ? [] : await store.workspaces.list()) {
      const row = auditRow(terminal, `kill_switch.${on ? 'on' : 'off'}`, id, {});
      await store.in(id).audit.append(row);
    }
  });
  await status(terminal, options);
}

async function status(terminal: Terminal, options: JsonOption): Promise<void> {
  const on = await withStore(terminal, (store) => store.featureFlags.isOn('kill_switch'));
  // The environment of a running server may be another than this one; this is the one that can be seen from here.
  const forced = readConfig(terminal.env).killSwitch;
  const text = `The kill switch is ${on ? 'on: no guide boots' : 'off: guides boot'}.`;
  const hint = forced
    ? '\nKILL_SWITCH=on in the environment keeps the guide off whatever is switched here.'
    : '';
  print(terminal, options, { kill_switch: on, forced_by_environment: forced }, text + hint);
}
