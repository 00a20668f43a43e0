import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTarball } from '../../../scripts/pack-client.ts';
import { packModel, packServer } from '../../../scripts/pack-server.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { type Debian, getUnsupportedReason, openDebian } from './debian.ts';
import { ROOT, until } from './programs.ts';

/**
 * Follows docs/quick-start-operator.md on a new Debian 12, whose systemd starts the service, Caddy and Prometheus.
 * Two things differ from what a reader does: the machine is offline once the packages are installed; and Caddy's own
 * authority issues its certificate, because public authorities issue certificates for public names only.
 */

const COMMANDS_MAX = 10;
const readBlocks = (page: string) =>
  Array.from(
    readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm),
    ([, block]) => block!.trim(),
  );
const commands = readBlocks('quick-start-operator.md').flatMap((block) => block.split('\n'));
const [INSTALLING, SETTING_UP] = [commands.slice(0, 3), commands.slice(3)];

const AUTHORITY = '/usr/local/share/caddy-root.crt';
const AFTER: readonly [begin: string, script: string][] = [
  [
    'sed ',
    `caddyfile=$(cat /etc/caddy/Caddyfile)
     printf '{\\n\\tlocal_certs\\n\\tskip_install_trust\\n}\\n%s\\n' "$caddyfile" > /etc/caddy/Caddyfile`,
  ],
  [
    'systemctl ',
    `root=/var/lib/caddy/.local/share/caddy/pki/authorities/local/root.crt
     for i in $(seq 100); do [ -e $root ] && break; sleep 0.1; done
     install -m 644 $root ${AUTHORITY}
     for i in $(seq 100); do curl -sf --cacert ${AUTHORITY} https://guide.example.com/readyz > /dev/null && break; sleep 0.1; done`,
  ],
];

it(`the operator quick start has at most ${COMMANDS_MAX} commands, one per line`, () => {
  expect(commands.length).toBeGreaterThan(5);
  expect(commands.length).toBeLessThanOrEqual(COMMANDS_MAX);
  for (const command of commands) expect(command).not.toMatch(/&&|;|\|/);
});

const why = getUnsupportedReason();
describe.skipIf(why)(`the operator quick start on Debian 12${why ? ` (not followed: ${why})` : ''}`, () => {
  let debian: Debian;
  const printed = new Map<string, string>();
  const seconds = new Map<string, number>();

  beforeAll(async () => {
    debian = openDebian();
    const folder = join(tempDir(), 'server');
    copyFileSync(await packModel(join(folder, '../model')), join(debian.root, 'root/model.tgz'));
    copyFileSync(await packServer(folder), join(debian.root, 'root/guidepost.tgz'));
    // A later version with a migration after which this version cannot use the database.
    writeFileSync(
      join(folder, 'dist/migrations/0901_rebuild_ratings.sql'),
      'CREATE TABLE rebuilt (id TEXT PRIMARY KEY) STRICT;',
    );
    const later = await createTarball(folder);
    copyFileSync(later, join(debian.root, 'root/later.tgz'));
    for (const command of INSTALLING) {
      const began = performance.now();
      debian.run(
        [
          'sh',
          '-c',
          command
            .replace(/guidepost-model-[\d.]+\.tgz/, 'model.tgz')
            .replace(/guidepost-[\d.]+\.tgz$/, 'guidepost.tgz'),
        ],
        ['--setenv=DEBIAN_FRONTEND=noninteractive'],
      );
      seconds.set(command, Math.round((performance.now() - began) / 1000));
    }
    writeFileSync(join(debian.root, 'etc/hosts'), '127.0.0.1 localhost guide.example.com\n');
    await debian.boot();
    for (const command of SETTING_UP) {
      const began = performance.now();
      const extraCommand = AFTER.find(([begin]) => command.startsWith(begin))?.[1] ?? '';
      // The doctor has to trust Caddy's own authority.
      const outcome = debian.inside(`export NODE_EXTRA_CA_CERTS=${AUTHORITY}\n${command}\n${extraCommand}\n`);
      expect(outcome.status, `${command}\n${outcome.printed}`).toBe(0);
      printed.set(command, outcome.printed);
      seconds.set(command, Math.round((performance.now() - began) / 1000));
    }
    console.log([...seconds].map(([command, taken]) => `${taken} s  ${command}`).join('\n'));
  }, 900_000);
  afterAll(() => debian?.remove(), 120_000);

  const outputOf = (begin: string) => printed.get(commands.find((command) => command.startsWith(begin))!)!;

  it('runs the service as its user, with little exposure, and at every start of the machine', () => {
    const { printed } = debian.inside(
      `systemctl is-active guidepost caddy prometheus; systemctl is-enabled guidepost
       stat -c %U /proc/$(systemctl show -p MainPID --value guidepost)
       systemd-analyze security guidepost --no-pager --threshold=20 > /dev/null && echo hardened`,
    );
    expect(printed.trim().split('\n')).toEqual([
      'active',
      'active',
      'active',
      'enabled',
      'guidepost',
      'hardened',
    ]);
  });

  it('serves the guide and the dashboard with TLS', () => {
    const { printed } = debian.inside(
      `for path in healthz guide.js dashboard; do curl -s -o /dev/null -w '%{http_code} ' --cacert ${AUTHORITY} https://guide.example.com/$path; done
       curl -s -o /dev/null -w '%{http_code} %{redirect_url}' http://guide.example.com/dashboard`,
    );
    expect(printed.trim()).toBe('200 200 200 308 https://guide.example.com/dashboard');
  });

  it('leads the owner of the first workspace to the dashboard', () => {
    expect(outputOf('guidepost workspace')).toMatch(/https:\/\/guide\.example\.com\/dashboard\/\S+/);
    expect(debian.inside('guidepost workspace list').printed).toMatch(/gp_\S+ +enabled +My shop/);
  });

  it('answers the demo question on the site of the workspace, once it has the articles', () => {
    const [appId] = /gp_\S+/.exec(debian.inside('guidepost workspace list').printed)!;
    const articles = '/opt/guidepost/node_modules/guidepost/dist/knowledge/gnome-help.jsonl';
    const imported = debian.inside(`guidepost knowledge import --workspace ${appId} ${articles}`);
    expect(imported.status, imported.printed).toBe(0);
    const origin = 'https://www.example.com';
    const post = (path: string, body: object, header = 'X-Nothing: a') =>
      debian.inside(
        `curl -s --cacert ${AUTHORITY} https://guide.example.com${path} -H 'Origin: ${origin}' -H '${header}' \
           -H 'Content-Type: application/json' -H 'User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0' \
           -d '${JSON.stringify(body)}'`,
      ).printed;
    const { jwt } = JSON.parse(post('/boot', { app_id: appId, origin, path: '/' }));
    const question = {
      message: 'How do I change the desktop background?',
      dom_digest: 'main',
      conversation_id: 'conv-of-a-trial',
      turn_idx: 0,
      url: `${origin}/`,
    };
    expect(post('/chat', question, `Authorization: Bearer ${jwt}`)).toMatch(
      /"type":"citation"[\s\S]*"type":"message_end"/,
    );
  });

  it('writes and verifies a backup', () => {
    expect(outputOf('guidepost backup')).toMatch(/Wrote and verified/);
    const folder = join(debian.root, 'var/backups/guidepost');
    expect(existsSync(join(folder, 'first.db'))).toBe(true);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it('sets up monitoring by Prometheus, with the alert rules', async () => {
    const ask = (query: string) => debian.inside(`curl -sf 'http://127.0.0.1:9090/api/v1/${query}'`).printed;
    await until(
      () => /"value":\[[\d.]+,"1"\]/.test(ask('query?query=up%7Bjob%3D%22guidepost%22%7D')),
      'a scrape',
    );
    expect(ask('rules')).toContain('GuidepostBackupOld');
  });

  it('leaves `guidepost doctor` only the advice to copy the backups', () => {
    const lines = outputOf('guidepost doctor').trim().split('\n');
    expect(lines.length).toBeGreaterThan(10);
    // Caddy's own certificates last for twelve hours.
    const problems = lines.filter((line) => !line.startsWith('ok ') && !/^warning +tls/.test(line));
    expect(problems).toEqual([expect.stringMatching(/^warning +backup .*copy it elsewhere too/)]);
  });

  it('takes shell characters in settings literally, in the service and in the command', () => {
    const unknown = 'gp_a&b$(touch /root/was-run);c d';
    const { status, printed } = debian.inside(
      `export NODE_EXTRA_CA_CERTS=${AUTHORITY}
       cp -p /etc/guidepost/env /root/env
       echo 'ROLLOUT=${unknown}' >> /etc/guidepost/env
       guidepost doctor
       systemctl restart guidepost
       for i in $(seq 100); do journalctl -u guidepost -o cat | grep 'ROLLOUT contains' && break; sleep 0.1; done
       cp -p /root/env /etc/guidepost/env
       systemctl restart guidepost`,
    );
    expect(status, printed).toBe(0);
    const warning = `ROLLOUT contains ${unknown}, but no such workspace exists`;
    expect(
      printed.split('\n').filter((line) => line.includes(warning)),
      printed,
    ).toEqual([expect.stringMatching(/^warning +settings /), expect.stringMatching(/^\{"level":40/)]);
    expect(existsSync(join(debian.root, 'root/was-run'))).toBe(false);
  });

  it('can be upgraded, rolled back and restored by the commands of upgrading.md', () => {
    const [upgrade, goBack, restore] = readBlocks('upgrading.md');
    const follow = (block: string, tarball: string) => {
      const script = block.replace(
        /npm install (.*) \/root\/guidepost-[\d.]+\.tgz/,
        `npm install --offline $1 /root/${tarball}`,
      );
      expect(script).not.toBe(block);
      const outcome = debian.inside(`export NODE_EXTRA_CA_CERTS=${AUTHORITY}\n${script}\n`);
      expect(outcome.status, outcome.printed).toBe(0);
      return outcome.printed;
    };
    const backups = () => readdirSync(join(debian.root, 'var/backups/guidepost')).join(' ');
    follow(upgrade!, 'later.tgz');
    expect(backups()).toContain('before-0901_rebuild_ratings');
    expect(debian.inside('guidepost killswitch on').status).toBe(0);
    expect(follow(goBack!, 'guidepost.tgz')).toMatch(/Restored \S+before-0901_rebuild_ratings/);
    expect(backups()).toContain('rolled-back-');
    const { printed } = debian.inside(
      'curl -sf http://127.0.0.1:8787/readyz; guidepost workspace list; guidepost killswitch status',
    );
    expect(printed).toMatch(/"status":"ready"[\s\S]*My shop[\s\S]*is off/);

    expect(debian.inside('guidepost killswitch on').status).toBe(0);
    expect(debian.inside(restore!).printed).toMatch(/Restored \S+ from \S+first\.db/);
    expect(debian.inside('guidepost killswitch status').printed).toContain('is off');
  });

  it('keeps settings and data when install.sh runs again', () => {
    const install = commands.find((command) => command.startsWith('sh '))!;
    const { status, printed } = debian.inside(
      `before=$(cat /etc/guidepost/env); ${install}; [ "$before" = "$(cat /etc/guidepost/env)" ]; guidepost workspace list`,
    );
    expect(status, printed).toBe(0);
    expect(printed).toContain('My shop');
  });
});
