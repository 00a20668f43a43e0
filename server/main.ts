import { flushCompileCache } from 'node:module';
import { newSetupUrl } from './accounts/setup.ts';
import { openService, type Service } from './app.ts';
import { collectWhenQuiet } from './base/spare-memory.ts';
import { prepareIntents } from './chat/intent/known-messages.ts';
import { DEMO_APP_ID, ensureDemo } from './demo/demo.ts';
import type { Overrides } from './dependencies.ts';
import { type Config, ConfigError, environment, readConfig } from './settings/config.ts';

/** Starts the service and drains it on SIGTERM or SIGINT. Resolves once it listens. */
export async function serve(config: Config = readConfig(), overrides: Overrides = {}): Promise<Service> {
  const service = await openService(config, overrides);
  const port = await service.listen();
  stopOnSignal(service);
  logUncaught(service);
  process.stderr.write(`Guidepost is listening on ${service.baseUrl()}\n`);
  // Now, because V8 forgets code that has not run for a while, and a killed process would write nothing.
  flushCompileCache();
  void prepareIntents();
  collectWhenQuiet();
  await printSetupUrl(service);
  if (config.demo) void printDemo(service, port);
  return service;
}

/** Logs uncaught errors as a line. Node would print the failing line of the bundle, which is a whole file. */
function logUncaught({ log }: Service): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'stopped by an uncaught error');
    log.flush();
    process.exit(1);
  });
}

/** Drains the service at the first signal; exits at once at the second. */
function stopOnSignal(service: Service): void {
  let stopping = false;
  const stop = () => {
    stopping = true;
    service.close().then(
      () => process.exit(0),
      (error) => {
        process.stderr.write(`Guidepost could not stop cleanly: ${(error as Error).message}\n`);
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => (stopping ? process.exit(1) : stop()));
  }
  onShellEnd(() => stopping || stop());
}

const SHELL_CHECK_MILLIS = 500;

/** Stops the service when its shell ends: npx passes SIGTERM to the shell, which does not pass it to the service. */
function onShellEnd(stop: () => void): void {
  if (environment.npm_command !== 'exec') return;
  const shell = process.ppid;
  setInterval(() => {
    if (process.ppid !== shell) stop();
  }, SHELL_CHECK_MILLIS).unref();
}

/** Prints the set-up link to the terminal, never to the log, because the link grants ownership. */
async function printSetupUrl(service: Service): Promise<void> {
  try {
    const url = await newSetupUrl(service, service.baseUrl());
    if (url) process.stderr.write(`Set-up     ${url}\n`);
  } catch (error) {
    service.log.error({ err: error }, 'failed to create the set-up link');
    process.stderr.write(`Could not create the set-up link: ${(error as Error).message}\n`);
  }
}

async function printDemo(service: Service, port: number): Promise<void> {
  const base = service.baseUrl();
  const origins = [...new Set([base, `http://127.0.0.1:${port}`, `http://localhost:${port}`])];
  try {
    const demo = await ensureDemo({ store: service.store, clock: service.clock, origins });
    if (!demo) return;
    process.stderr.write(`Demo page  ${base}/demo\nApp id     ${DEMO_APP_ID}\n`);
    const report = await demo.knowledge;
    if (report) process.stderr.write(`Demo knowledge is ready: ${report.articles} articles\n`);
  } catch (error) {
    service.log.error({ err: error }, 'failed to create the demo workspace');
    process.stderr.write(`Could not create the demo workspace: ${(error as Error).message}\n`);
  }
}

/** Explains a failed start in one line per problem, without a stack trace. */
export function explainStartError(error: unknown): string {
  if (error instanceof ConfigError) return `Guidepost cannot start with these settings:\n${error.message}`;
  return `Guidepost cannot start: ${error instanceof Error ? error.message : String(error)}`;
}
