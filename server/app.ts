import type { Server } from 'node:http';
import { contract } from '../contract/index.ts';
import type { Clock } from './base/clock.ts';
import { createFolder } from './base/files.ts';
import type { Log } from './base/log.ts';
import { type Overrides, openCore, openDeps } from './dependencies.ts';
import { createHttpServer } from './http/http-server.ts';
import { createApp, createOverloadRule } from './http/router.ts';
import { renewIndexInBackground, startJobs } from './jobs.ts';
import type { ComposeMail } from './people/compose-mail.ts';
import { mountRoutes } from './routes.ts';
import type { Config } from './settings/config.ts';
import { lockDataFolder } from './storage/sqlite/server-lock.ts';
import type { Store } from './storage/store.ts';

/** The running service. */
export type Service = {
  server: Server;
  /** Where browsers reach the service; known once it listens. */
  baseUrl: () => string;
  store: Store;
  log: Log;
  clock: Clock;
  composeMail: ComposeMail;
  /** Returns the port. */
  listen(): Promise<number>;
  /** Runs the background jobs that are due. Called every second; tests call it themselves. */
  tick(): Promise<void>;
  /** Stops accepting requests, ends open streams, stores what is buffered and closes. */
  close(): Promise<void>;
};

/** Opens the service. @throws FolderInUse while another server runs on the same data folder. */
export async function openService(config: Config, overrides: Overrides = {}): Promise<Service> {
  createFolder(config.dataDir);
  const unlock = lockDataFolder(config.dataDir);
  try {
    return await openLocked(config, overrides, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

async function openLocked(config: Config, overrides: Overrides, unlock: () => void): Promise<Service> {
  const core = await openCore(config, overrides);
  const app = createApp();
  const http = createHttpServer(app, { ...config, timeouts: overrides.timeouts }, core);
  const deps = await openDeps(config, overrides, core, http);
  mountRoutes(app, config, deps, http);
  const isHelpDomain = (domain: string) => deps.helpDomains.table.findAppId(domain) !== undefined;
  http.serve(deps.metrics, createOverloadRule(contract, isHelpDomain));
  const indexRenewal = renewIndexInBackground(deps);
  const { store, log, clock } = deps;
  // Show readers at once that a crash interrupted these turns. With several nodes, other nodes may be running them.
  if (deps.coordination.state() === 'single') {
    await store
      .interruptRunning(clock.now())
      .catch((error) => log.error({ err: error }, 'could not mark the turns that a crash interrupted'));
  }
  const jobs = startJobs(deps);

  return {
    server: http.server,
    baseUrl: http.baseUrl,
    store,
    log,
    clock,
    composeMail: deps.composeMail,
    tick: jobs.tick,
    listen: http.listen,
    async close() {
      jobs.stop();
      await http.drain(deps.liveTurns.shutDown);
      await deps.backups?.stop();
      await Promise.all([
        indexRenewal.stop(),
        deps.dictionaryBuilder.stop(),
        deps.inboxCollector.stop(),
        deps.answerTestRunner.stop(),
        deps.sourceRunner.stop(),
        deps.webhookJob.stop(),
        deps.domainRechecks.stop(),
        deps.scheduledPublisher.stop(),
        deps.mailSender?.stop(),
      ]);
      deps.webhookSender.close();
      deps.providerClient.close();
      await deps.embeddings.close();
      await deps.coordination.rateLimits
        .save()
        .catch((error) => log.error({ err: error }, 'could not store rate windows'));
      await deps.installations
        .save(true)
        .catch((error) => log.error({ err: error }, 'could not store installation checks'));
      await deps.audit.save(true).catch((error) => log.error({ err: error }, 'could not store audit rows'));
      deps.engines.close();
      await deps.telemetry?.close();
      await deps.coordination.close();
      await store.close();
      unlock();
      log.flush();
    },
  };
}
