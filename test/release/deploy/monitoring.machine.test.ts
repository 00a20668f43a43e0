import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { findFreePort } from '../../support/cluster/servers.ts';
import { findProgram } from '../../support/debian.ts';
import { type FakeModel, openFakeModel } from '../../support/fake-model/fake-model.ts';
import { type Harness, openHarness } from '../../support/harness.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { cleanEnv, type Program, ROOT, start, until } from './programs.ts';

/** Runs the real Prometheus with deploy/prometheus.yml against a service that has data for every query. */

const TOKEN = 'metrics-token-of-a-test';
const ALERTS = join(ROOT, 'deploy/alerts.yaml');
type Rule = { alert: string; expr: string };
const rules: Rule[] = parse(readFileSync(ALERTS, 'utf8')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);
const panels: { title: string; targets: { expr: string }[] }[] = JSON.parse(
  readFileSync(join(ROOT, 'deploy/grafana-dashboard.json'), 'utf8'),
).panels;

let harness: Harness;
let model: FakeModel;
let prometheus: Program;
let address: string;
let folder: string;

async function ask(path: string, query: Record<string, string> = {}) {
  const response = await fetch(`${address}/api/v1/${path}?${new URLSearchParams(query)}`);
  const { status, data, error } = (await response.json()) as { status: string; data: never; error?: string };
  if (status !== 'success') throw new Error(error);
  return data as {
    result: { metric: Record<string, string>; value: [number, string] }[];
    groups: { rules: { name: string; health: string; lastError?: string; state: string }[] }[];
  };
}

/** Writes deploy/prometheus.yml for this service, with a shorter interval. */
function writeConfig(): string {
  const config = parse(readFileSync(join(ROOT, 'deploy/prometheus.yml'), 'utf8'));
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, TOKEN);
  config.global.scrape_interval = '1s';
  config.global.evaluation_interval = '1s';
  config.rule_files = [ALERTS];
  config.scrape_configs[0].authorization.credentials_file = tokenFile;
  config.scrape_configs[0].static_configs[0].targets = [new URL(harness.baseUrl).host];
  const file = join(folder, 'prometheus.yml');
  writeFileSync(file, stringify(config));
  return file;
}

/** Produces what the queries count: answers, failures of the model, rejected requests, errors, a backup. */
async function produceData() {
  const { jwt } = await harness.boot();
  model.says('Choose "Forgot password" [1].', { usage: { prompt_tokens: 30, completion_tokens: 10 } });
  await harness.ask(jwt);
  model.errors(503);
  await harness.ask(jwt, { turn_idx: 1 });
  model.says('Choose slowly "Forgot password" [1].', { chunkSize: 1, latency: 100 });
  const slow = harness.ask(jwt, { turn_idx: 2 });
  await until(() => model.requests().length > 2, 'the slow answer');
  const rejected = await harness.fetch('/chat', {
    json: { message: 'x', dom_digest: 'x', conversation_id: 'other', turn_idx: 0, url: `${harness.origin}/` },
    headers: { authorization: `Bearer ${jwt}` },
  });
  expect(rejected.status).toBe(503);
  await slow;
  expect((await harness.fetch('/nowhere')).status).toBe(404);
  const failingLookup = vi
    .spyOn(harness.service.store.workspaces, 'findByAppId')
    .mockRejectedValue(new Error('of a test'));
  const { status } = await harness.fetch('/boot', {
    json: { app_id: 'gp_unknown', origin: harness.origin, path: '/' },
  });
  expect(status).toBe(500);
  failingLookup.mockRestore();
  await harness.service.tick();
}

beforeAll(async () => {
  model = await openFakeModel();
  folder = tempDir();
  harness = await openHarness({
    env: { ...model.env(), METRICS_TOKEN: TOKEN, STREAMS_MAX: '1', BACKUP_DIR: join(folder, 'backups') },
  });
  const port = await findFreePort();
  address = `http://127.0.0.1:${port}`;
  prometheus = start(
    [
      findProgram('prometheus'),
      `--config.file=${writeConfig()}`,
      `--storage.tsdb.path=${join(folder, 'tsdb')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { env: cleanEnv() },
  );
  await until(
    async () => (await ask('query', { query: 'up{job="guidepost"} == 1' })).result.length === 1,
    'a scrape',
  );
  await produceData();
  // A rate needs two samples of every series.
  const scraped =
    'min_over_time(guidepost_errors_total{code="internal"}[1m]) and count_over_time(guidepost_errors_total{code="internal"}[1m]) > 2';
  await until(async () => (await ask('query', { query: scraped })).result.length === 1, 'three scrapes');
});
afterAll(async () => {
  await prometheus?.stop();
  await harness?.close();
  await model?.close();
});

describe('the dashboard', () => {
  it.each(panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)))(
    '%s: %s has values',
    async (_, expr) => {
      const { result } = await ask('query', { query: expr });
      expect(result.length).toBeGreaterThan(0);
      for (const { value } of result)
        expect(Number(value[1]), JSON.stringify(result)).toBeGreaterThanOrEqual(0);
    },
  );
});

describe('the alert rules', () => {
  it.each(rules.map(({ alert, expr }) => [alert, expr] as const))(
    '%s compares series that exist',
    async (_, expr) => {
      const [, compared] = /^(.*?) (?:==|>) [\d.* ]+$/.exec(expr)!;
      expect((await ask('query', { query: compared! })).result.length).toBeGreaterThan(0);
    },
  );

  it('are evaluated without an error', async () => {
    await until(async () => {
      const found = (await ask('rules')).groups.flatMap(({ rules }) => rules);
      expect(found.map(({ name }) => name)).toEqual(rules.map(({ alert }) => alert));
      return found.every(({ health }) => health === 'ok');
    }, 'the rules');
  });

  /** Series that make each alert fire within twenty minutes, and series that do not. */
  const PLANTED: Readonly<Record<string, readonly [series: string, ill: string, well: string]>> = {
    GuidepostDown: ['up{job="guidepost", instance="a"}', '0x20', '1x20'],
    GuidepostStorageProblem: ['guidepost_storage_problem{instance="a", problem="corrupt"}', '1x20', '0x20'],
    GuidepostErrors: ['guidepost_errors_total{instance="a", code="storage/unavailable"}', '0+6x20', '0x20'],
    GuidepostBackupOld: ['guidepost_backup_timestamp_seconds{instance="a"}', '-200000x20', '0x20'],
    GuidepostOverloaded: ['guidepost_shed_total{instance="a"}', '0+1x20', '5x20'],
    GuidepostModelFails: [
      'guidepost_llm_failures_total{instance="a", reason="overloaded"}',
      '0+6x20',
      '0x20',
    ],
    GuidepostFilesUsedUp: ['process_open_fds{job="guidepost", instance="a"}', '90x20', '10x20'],
  };

  it.each(rules.map(({ alert }) => alert))('%s fires for series with the fault only', (alert) => {
    const [series, ill, well] = PLANTED[alert]!;
    const test = (values: string, isFiring: boolean) => ({
      interval: '1m',
      input_series: [
        { series, values },
        { series: 'process_max_fds{job="guidepost", instance="a"}', values: '100x20' },
      ],
      promql_expr_test: [
        {
          expr: `count(ALERTS{alertname="${alert}", alertstate="firing"})`,
          eval_time: '20m',
          exp_samples: isFiring ? [{ labels: '{}', value: 1 }] : [],
        },
      ],
    });
    const file = join(folder, `${alert}.yml`);
    writeFileSync(file, stringify({ rule_files: [ALERTS], tests: [test(ill, true), test(well, false)] }));
    execFileSync(findProgram('promtool'), ['test', 'rules', file], { stdio: 'pipe' });
  });
});
