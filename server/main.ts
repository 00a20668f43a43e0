import { newSetupUrl } from './accounts/setup.ts';
import { type Overrides, openService, type Service } from './app.ts';
import { BadConfig, type Config, readConfig } from './config.ts';
import { DEMO_APP_ID, ensureDemo } from './demo/demo.ts';

/** Environment, service, listen, drain on a signal. Resolves when the service listens. */
export async function serve(config: Config = readConfig(), overrides: Overrides = {}): Promise<Service> {
  const service = await openService(config, overrides);
  const port = await service.listen();
  stopOnSignal(service);
  process.stderr.write(`Guidepost listens on ${service.baseUrl()}\n`);
  await showSetup(service);
  if (config.demo) void showDemo(service, port);
  return service;
}

/** The first signal drains, the second one ends the process at once. */
function stopOnSignal(service: Service): void {
  let stopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      service.close().then(
        () => process.exit(0),
        (error) => {
          process.stderr.write(`Guidepost could not stop cleanly: ${(error as Error).message}\n`);
          process.exit(1);
        },
      );
    });
  }
}

/** The link makes whoever opens it the owner: it goes to the terminal and never to the log. */
async function showSetup(service: Service): Promise<void> {
  try {
    const url = await newSetupUrl(service, service.baseUrl());
    if (url) process.stderr.write(`Set-up     ${url}\n`);
  } catch (error) {
    service.log.error({ err: error }, 'the set-up link could not be made');
    process.stderr.write(`The set-up link could not be made: ${(error as Error).message}\n`);
  }
}

async function showDemo(service: Service, port: number): Promise<void> {
  const base = service.baseUrl();
  const origins = [...new Set([base, `http://127.0.0.1:${port}`, `http://localhost:${port}`])];
  try {
    const demo = await ensureDemo({ store: service.store, clock: service.clock, origins });
    if (!demo) return;
    process.stderr.write(`Demo page  ${base}/demo\nApp id     ${DEMO_APP_ID}\n`);
    const report = await demo.knowledge;
    if (report) process.stderr.write(`Demo knowledge is ready: ${report.articles} articles\n`);
  } catch (error) {
    service.log.error({ err: error }, 'the demo workspace could not be made');
    process.stderr.write(`The demo workspace could not be made: ${(error as Error).message}\n`);
  }
}

/** Says what is wrong, a line each, without a stack trace. */
export function explainStart(error: unknown): string {
  if (error instanceof BadConfig) return `Guidepost cannot start with these settings:\n${error.message}`;
  return `Guidepost cannot start: ${error instanceof Error ? error.message : String(error)}`;
}
