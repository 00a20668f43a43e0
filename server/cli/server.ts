import type { Command } from 'commander';
import { readConfig } from '../settings/config.ts';
import { keyFileIn, openKeyRing, readKeyRingId, resetKeyRing, rotateKeyRing } from '../tokens/key-ring.ts';
import { readSealedRingId, resetSealedKeys, rotateSealedKeys } from '../tokens/sealed-keys.ts';
import { newAuditEntry, withStore } from './open-store.ts';
import { addCommand, CommandFailed, print, type Terminal } from './terminal.ts';

type JsonOption = { json?: boolean };

export function addKillswitch(program: Command, terminal: Terminal): void {
  const killswitch = program
    .command('killswitch')
    .description('Turn the guide off for all workspaces. Running servers follow within a second.');

  for (const state of ['on', 'off'] as const) {
    const effect = state === 'on' ? 'Turn the guide off.' : 'Turn the guide on again.';
    addCommand(killswitch, state, effect).action((options: JsonOption) =>
      setKillSwitch(terminal, options, state === 'on'),
    );
  }
  addCommand(killswitch, 'status', 'Show whether the guide is turned off.').action((options: JsonOption) =>
    status(terminal, options),
  );
}

async function setKillSwitch(terminal: Terminal, options: JsonOption, on: boolean): Promise<void> {
  await withStore(terminal, async (store) => {
    const before = await store.featureFlags.isOn('kill_switch');
    await store.featureFlags.set('kill_switch', on, terminal.clock.now());
    // Every workspace gets an audit entry, so that owners can see why the guide was off.
    for (const { id } of before === on ? [] : await store.workspaces.list()) {
      const row = newAuditEntry(terminal, `kill_switch.${on ? 'on' : 'off'}`, id, {});
      await store.in(id).audit.append(row);
    }
  });
  await status(terminal, options);
}

async function status(terminal: Terminal, options: JsonOption): Promise<void> {
  const on = await withStore(terminal, (store) => store.featureFlags.isOn('kill_switch'));
  // The environment of this process. A running server may have a different one.
  const forced = readConfig(terminal.env).killSwitch;
  const text = `The kill switch is ${on ? 'on: the guide is turned off' : 'off: the guide runs'}.`;
  const hint = forced
    ? '\nKILL_SWITCH=on in the environment keeps the guide off, whatever this command sets.'
    : '';
  print(terminal, options, { kill_switch: on, forced_by_environment: forced }, text + hint);
}

export function addToken(program: Command, terminal: Terminal): void {
  const token = program.command('token').description('Manage the keys that sign visitor tokens.');

  addCommand(
    token,
    'rotate',
    'Sign new tokens with a new key. Existing tokens stay valid until they expire.',
  ).action((options: JsonOption) => rotate(terminal, options));

  addCommand(
    token,
    'reset',
    'Make new keys when those of the database are lost. Every visitor gets a new id. Stop the server first.',
  ).action((options: JsonOption) => reset(terminal, options));
}

async function reset(terminal: Terminal, options: JsonOption): Promise<void> {
  const id = await withStore(terminal, async (store, { dataDir, secrets }) => {
    const expectedId = await store.keyRingId.get();
    const sealed = secrets.length > 0 ? { sealedKeys: store.sealedKeys, secrets } : undefined;
    const ringId = sealed
      ? await readSealedRingId(sealed).catch(() => undefined)
      : readKeyRingId(keyFileIn(dataDir));
    if (expectedId === undefined || ringId === expectedId)
      throw new CommandFailed(
        'The database has its keys. Use `guidepost token rotate` to sign with a new one.',
      );
    const now = terminal.clock.now();
    const id = sealed ? await resetSealedKeys(sealed, now) : resetKeyRing(dataDir, now);
    await store.keyRingId.set(id);
    return id;
  });
  print(
    terminal,
    options,
    { key_ring: id },
    'Created new keys. Visitors get new ids at their next visit, and earlier tokens are invalid.',
  );
}

async function rotate(terminal: Terminal, options: JsonOption): Promise<void> {
  const config = readConfig(terminal.env);
  if (config.tokenKeys.length > 0) {
    throw new CommandFailed(
      'VISITOR_TOKEN_KEYS defines the keys. Add a new key at its beginning and restart the server.',
    );
  }
  const { kid, signsFromMillis } = await withStore(terminal, async (store, { dataDir, secrets }) => {
    const now = terminal.clock.now();
    const { sealedKeys } = store;
    if (secrets.length > 0) return rotateSealedKeys({ sealedKeys, secrets }, now);
    if ((await sealedKeys.get()) !== undefined)
      throw new CommandFailed('The keys of this database are sealed in it. Set GUIDEPOST_SECRET.');
    // Refuses to rotate a key ring that is missing or belongs to another database.
    openKeyRing(dataDir, [], now, await store.keyRingId.get());
    return rotateKeyRing(dataDir, now);
  });
  const signsFrom = new Date(signsFromMillis).toISOString();
  print(
    terminal,
    options,
    { kid, signs_from: signsFrom },
    `The key ${kid} signs new tokens from ${signsFrom}.`,
  );
}
