import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ERROR_CODES } from '../../../contract/errors.ts';
import { settings } from '../../../server/settings/config.ts';
import { openHarness } from '../../support/harness.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

describe('the systemd unit', () => {
  it.runIf(hasSystemd)('has an exposure level of at most 2.0', () => {
    const unit = join(ROOT, 'deploy/guidepost.service');
    const args = ['security', '--offline=true', '--threshold=20', '--no-pager', unit];
    const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
    expect(status, stdout.split('\n').slice(-3).join('\n')).toBe(0);
  });

  it('runs as a user of its own with settings from a file', () => {
    const unit = read('deploy/guidepost.service');
    for (const line of [
      'User=guidepost',
      'EnvironmentFile=/etc/guidepost/env',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
    ])
      expect(unit.split('\n')).toContain(line);
  });
});

describe('the Dockerfile', () => {
  /** Instruction and arguments of each step, without comments and with continued lines joined. */
  const steps = read('Dockerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter(Boolean)
    .map((line) => /^(\S+)\s+(.*)$/.exec(line)!.slice(1) as [string, string]);
  const stages = steps.reduce<[string, string][][]>((found, step) => {
    if (step[0] === 'FROM') found.push([]);
    found.at(-1)?.push(step);
    return found;
  }, []);
  const last = new Map(stages.at(-1));

  it('builds in one stage and runs in another, from pinned images', () => {
    expect(stages).toHaveLength(2);
    for (const [[, image]] of stages as [[string, string]][]) expect(image).toMatch(/node:24-bookworm/);
    expect(last.get('FROM')).toBe('node:24-bookworm-slim');
    for (const [instruction] of steps)
      expect([
        'FROM',
        'WORKDIR',
        'COPY',
        'RUN',
        'USER',
        'ENV',
        'VOLUME',
        'EXPOSE',
        'STOPSIGNAL',
        'HEALTHCHECK',
        'ENTRYPOINT',
        'CMD',
      ]).toContain(instruction);
  });

  it('runs without root, has a health check, and receives signals itself', () => {
    expect(last.get('USER')).toBe('1000:1000');
    expect(last.get('HEALTHCHECK')).toContain('/readyz');
    const command = [...JSON.parse(last.get('ENTRYPOINT')!), ...JSON.parse(last.get('CMD')!)];
    expect(command[0]).toBe('node');
    expect(command.at(-1)).toBe('serve');
  });

  it('sets only settings that exist, and takes no secret', () => {
    for (const [, name] of last.get('ENV')!.matchAll(/(\w+)=/g))
      expect([...Object.keys(settings.shape), 'NODE_ENV']).toContain(name);
    expect(read('Dockerfile')).not.toMatch(/_KEY|SECRET|TOKEN|PASSWORD/);
    expect(read('.dockerignore').split('\n')).toEqual(
      expect.arrayContaining(['**/node_modules', '**/.env', 'data']),
    );
  });
});

describe.each(['deploy/compose.yaml', 'deploy/compose.cluster.yaml'])('%s', (path) => {
  const { services, volumes } = parse(read(path), { merge: true }) as {
    services: Record<string, { environment?: Record<string, string>; volumes?: string[]; restart?: string }>;
    volumes: Record<string, unknown>;
  };

  it('restarts every service, and mounts files and volumes that exist', () => {
    for (const [name, service] of Object.entries(services)) {
      expect(service.restart, name).toBe('unless-stopped');
      for (const volume of service.volumes ?? []) {
        const [source] = volume.split(':');
        const doesExist = source!.startsWith('.')
          ? existsSync(join(ROOT, 'deploy', source!))
          : source! in volumes;
        expect(doesExist, volume).toBe(true);
      }
    }
  });

  it('passes only settings that exist to the service', () => {
    const { environment } = (services.guidepost ?? services.node1)!;
    expect(Object.keys(settings.shape)).toEqual(expect.arrayContaining(Object.keys(environment!)));
  });
});

describe('monitoring', () => {
  const alerts = parse(read('deploy/alerts.yaml')).groups.flatMap(
    ({ rules }: { rules: { expr: string }[] }) => rules,
  );
  const dashboard = JSON.parse(read('deploy/grafana-dashboard.json'));
  const queries: string[] = [
    ...alerts.map(({ expr }: { expr: string }) => expr),
    ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
      targets.map(({ expr }) => expr),
    ),
  ];

  it('queries only metrics that /metrics has', async () => {
    const token = 'metrics-token-of-a-test';
    const env = { METRICS_TOKEN: token, BACKUP_DIR: '/nowhere/backups' };
    const harness = await openHarness({ env, articles: [] });
    const text = await (
      await harness.fetch('/metrics', { headers: { authorization: `Bearer ${token}` } })
    ).text();
    await harness.close();
    const names = new Set(
      [...text.matchAll(/^# TYPE (\S+) (\w+)/gm)].map(([, name, type]) =>
        type === 'histogram' ? `${name}_bucket` : name,
      ),
    );
    expect(queries.length).toBeGreaterThan(15);
    for (const query of queries) {
      const used = query.match(/\b(guidepost|process|nodejs)_\w+/g) ?? [];
      if (!query.startsWith('up{')) expect(used, query).not.toEqual([]);
      for (const name of used) expect(names, query).toContain(name);
    }
  });

  it('counts only errors that exist', () => {
    const codes = queries.flatMap((query) =>
      Array.from(query.matchAll(/guidepost_errors_total\{code=~?"([^"]+)"/g), ([, found]) =>
        found!.split('|'),
      ).flat(),
    );
    expect(codes.length).toBeGreaterThan(1);
    expect(Object.keys(ERROR_CODES)).toEqual(expect.arrayContaining(codes));
  });

  it('has a summary for every alert, and a position of its own for every panel', () => {
    for (const { annotations } of alerts) expect(annotations.summary).toMatch(/\.$/);
    const positions = dashboard.panels.map(
      ({ gridPos: { x, y } }: { gridPos: { x: number; y: number } }) => `${x} ${y}`,
    );
    expect(new Set(positions).size).toBe(dashboard.panels.length);
  });
});

it('the documentation names every file of deploy/', () => {
  const pages = read('docs/install.md') + read('docs/operations.md') + read('deploy/compose.cluster.yaml');
  for (const name of readdirSync(join(ROOT, 'deploy'))) expect(pages, name).toContain(name);
});

it.each([
  ['without a version', [], /usage/],
  ['for something other than a version', ['next'], /next is no version/],
])('.ci/release refuses a release %s', (_, args, message) => {
  const { status, stderr } = spawnSync(join(ROOT, '.ci/release'), args, { encoding: 'utf8' });
  expect(status).not.toBe(0);
  expect(stderr).toMatch(message);
});
