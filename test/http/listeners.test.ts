import { connect, createServer, type Socket } from 'node:net';
import { setImmediate as nextLoopTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Harness, openHarness } from '../support/harness.ts';

let harness: Harness | undefined;
afterEach(async () => {
  await harness?.close();
  harness = undefined;
});

describe('the listeners of the service', () => {
  it.runIf(process.platform === 'linux')(
    'accept many new connections in a turn of the event loop',
    async () => {
      harness = await openHarness();
      let [turn, inTurn, most] = [0, 0, 0];
      let turnOfLast = 0;
      harness.service.server.on('connection', () => {
        inTurn = turnOfLast === turn ? inTurn + 1 : 1;
        turnOfLast = turn;
        most = Math.max(most, inTurn);
      });
      const { port } = new URL(harness.baseUrl);
      const sockets: Socket[] = Array.from({ length: 64 }, () => connect(Number(port), '127.0.0.1'));
      for (; turn < 1_000 && most < 8; turn += 1) await nextLoopTurn();
      for (const socket of sockets) socket.destroy();
      expect(most).toBeGreaterThanOrEqual(8);
    },
  );

  it('refuses to start on a port on which another program listens', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    await expect(openHarness({ env: { PORT: String(port) } })).rejects.toThrow('EADDRINUSE');
    await new Promise((resolve) => other.close(resolve));
  });

  it('refuses to start on the port of another service', async () => {
    harness = await openHarness();
    const { port } = new URL(harness.baseUrl);
    await expect(openHarness({ env: { PORT: port } })).rejects.toThrow('EADDRINUSE');
  });
});
