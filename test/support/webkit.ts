import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { vi } from 'vitest';
import { findFreePort } from './cluster/servers.ts';
import { findProgram } from './debian.ts';

/** WebKitGTK's browser in a virtual screen, driven over WebDriver. Debian's packages are installed if necessary. */
export type Webkit = {
  goto: (address: string) => Promise<void>;
  /** Runs statements in the page and returns what they do. */
  run: <T>(script: string) => Promise<T>;
  /** Evaluates an expression of the page, and waits if it is a promise; its value is left in the page. */
  evaluate: (expression: string) => Promise<void>;
  /** Repeats statements until they return something true. */
  until: <T>(script: string) => Promise<T>;
  click: (x: number, y: number) => Promise<void>;
  /** Presses one key after another, each with the modifiers. */
  press: (keys: string, ...modifiers: string[]) => Promise<void>;
  wheel: (x: number, y: number, by: number) => Promise<void>;
  close: () => Promise<void>;
};

/** Keys of WebDriver that have no character. */
export const ENTER = '\uE007';
export const CONTROL = '\uE009';

export async function openWebkit(): Promise<Webkit> {
  const [screenProgram, driverProgram] = [findProgram('Xvfb'), findProgram('WebKitWebDriver')];
  const screen = spawn(
    screenProgram,
    ['-displayfd', '3', '-screen', '0', '1000x800x24', '-nolisten', 'tcp'],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
  );
  const display = await new Promise<string>((shown) =>
    (screen.stdio[3] as Readable).once('data', (line) => shown(`:${String(line).trim()}`)),
  );
  const port = await findFreePort();
  const driver = spawn(driverProgram, [`--port=${port}`], {
    env: { ...process.env, DISPLAY: display, LIBGL_ALWAYS_SOFTWARE: '1' },
    stdio: 'ignore',
  });
  const call = callDriver(`http://127.0.0.1:${port}/session`);
  const { sessionId } = await vi.waitFor(
    () => call<{ sessionId: string }>('POST', '', { capabilities: {} }),
    WAITING,
  );
  return createBrowser(call, sessionId, [driver, screen]);
}

const WAITING = { timeout: 20_000, interval: 100 };

type Call = <T = unknown>(method: string, path: string, body?: object) => Promise<T>;

const callDriver =
  (address: string): Call =>
  async (method, path, body) => {
    const signal = AbortSignal.timeout(30_000);
    const reply = await fetch(address + path, { method, body: body && JSON.stringify(body), signal }).catch(
      (cause) => Promise.reject(new Error(`${method} ${path} ${JSON.stringify(body)}: no reply`, { cause })),
    );
    // biome-ignore lint/suspicious/noExplicitAny: an error or whatever the page returned.
    const { value } = (await reply.json()) as { value: any };
    if (!reply.ok) throw new Error(`${value.error}: ${value.message}`);
    return value;
  };

function createBrowser(call: Call, sessionId: string, programs: readonly ChildProcess[]): Webkit {
  const post = <T>(path: string, body: object) => call<T>('POST', `/${sessionId}/${path}`, body);
  const act = async (type: string, ...actions: object[]): Promise<void> => {
    await post('actions', { actions: [{ type, id: type, actions }] });
  };
  const run: Webkit['run'] = (script) => post('execute/sync', { script, args: [] });
  return {
    evaluate: async (expression) => {
      const script = `Promise.resolve(eval(${JSON.stringify(expression)})).then(() => arguments[0]())`;
      await post('execute/async', { script, args: [] });
    },
    goto: async (url) => void (await post('url', { url })),
    run,
    until: (script) =>
      vi.waitFor(
        async () => (await run(script)) || Promise.reject(new Error(`not yet: ${script}`)),
        WAITING,
      ) as never,
    click: (x, y) =>
      act(
        'pointer',
        { type: 'pointerMove', x: Math.round(x), y: Math.round(y) },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ),
    press: (keys, ...modifiers) =>
      act(
        'key',
        ...modifiers.map((value) => ({ type: 'keyDown', value })),
        ...Array.from(keys).flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
        ...modifiers.map((value) => ({ type: 'keyUp', value })),
      ),
    wheel: async (x, y, deltaY) => {
      const [left, top] = [Math.round(x), Math.round(y)];
      await act('wheel', { type: 'scroll', x: left, y: top, deltaX: 0, deltaY, duration: 0 });
      // Otherwise the same movement would not be sent a second time.
      await call('DELETE', `/${sessionId}/actions`);
    },
    close: async () => {
      await call('DELETE', `/${sessionId}`).catch(() => {});
      for (const program of programs) program.kill();
    },
  };
}
