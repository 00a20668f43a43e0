import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../support/cluster/servers.ts';
import { commandLine } from '../../support/command-line.ts';
import { findProgram } from '../../support/debian.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { cleanEnv, type Program, ROOT, type Service, start, startService, until } from './programs.ts';

/**
 * Runs the real Caddy with deploy/Caddyfile, and what docs/help-centre-domains.md adds to it, with certificates of its own
 * authority: tests cannot get public ones.
 */

const HELP_DOMAIN = 'help.shop.example';

let caddy: Program;
let service: Service;
let publicUrl: string;
let authority: string;
let folder: string;

beforeAll(async () => {
  const [port, httpsPort, httpPort] = [await findFreePort(), await findFreePort(), await findFreePort()];
  folder = tempDir();
  publicUrl = `https://localhost:${httpsPort}`;
  const documented = /^```caddyfile\n\{\n([\s\S]*?)^\}\n([\s\S]*?)^```$/m.exec(
    read('docs/help-centre-domains.md'),
  )!;
  const [, onDemand, helpDomains] = documented.map((text) => text.replaceAll('8787', `${port}`));
  const options = `{\n\tlocal_certs\n\tskip_install_trust\n\tadmin off\n\thttp_port ${httpPort}\n\thttps_port ${httpsPort}\n${onDemand}}\n`;
  writeFileSync(join(folder, 'Caddyfile'), options + read('deploy/Caddyfile') + helpDomains);
  service = await startService(port, {
    ...{ PUBLIC_URL: publicUrl, TRUSTED_PROXIES: 'loopback' },
    HELP_DOMAINS: `${HELP_DOMAIN}=gp_demo`,
  });
  const env = cleanEnv({
    GUIDE_HOST: 'localhost',
    GUIDE_UPSTREAM: `127.0.0.1:${port}`,
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
  });
  caddy = start(
    [findProgram('caddy'), 'run', '--adapter', 'caddyfile', '--config', join(folder, 'Caddyfile')],
    { env },
  );
  authority = join(folder, 'caddy/pki/authorities/local/root.crt');
  await until(async () => (await fetchByCaddy('/healthz')).status === 200, 'Caddy');
});
afterAll(async () => {
  await caddy.stop();
  await service.stop();
});

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');

/** Fetches through Caddy. Arrival times are in milliseconds since the first byte of the head. */
function fetchByCaddy(
  path: string,
  more: { method?: string; headers?: Record<string, string>; body?: string; servername?: string } = {},
) {
  return new Promise<{
    status: number;
    headers: Record<string, unknown>;
    text: string;
    chunkTimes: number[];
  }>((resolve, reject) => {
    const { body, ...options } = more;
    const sending = request(
      publicUrl + path,
      { ca: readFileSync(authority), agent: false, ...options },
      (response) => {
        const began = performance.now();
        const chunkTimes: number[] = [];
        let text = '';
        response.on('data', (piece) => {
          text += piece;
          chunkTimes.push(performance.now() - began);
        });
        response.on('end', () =>
          resolve({ status: response.statusCode!, headers: response.headers, text, chunkTimes }),
        );
        response.on('error', reject);
      },
    );
    sending.on('error', reject);
    sending.end(body);
  });
}

describe('Caddy with deploy/Caddyfile', () => {
  it('forwards streams without delay', async () => {
    const { headers, text, chunkTimes } = await fetchByCaddy('/healthz/stream', {
      headers: { 'accept-encoding': 'gzip, br, zstd' },
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(text.match(/^data:/gm)).toHaveLength(2);
    // The service pauses for a second between the two events.
    expect(chunkTimes.at(-1)! - chunkTimes[0]!).toBeGreaterThan(700);
  });

  it('lets a visitor chat, with the answer arriving piece by piece', async () => {
    const headers = {
      origin: publicUrl,
      'content-type': 'application/json',
      'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    };
    const boot = await fetchByCaddy('/boot', {
      method: 'POST',
      headers,
      body: JSON.stringify({ app_id: 'gp_demo', origin: publicUrl, path: '/' }),
    });
    expect(boot.status, boot.text).toBe(200);
    expect(boot.headers['strict-transport-security']).toMatch(/max-age/);
    const answer = await fetchByCaddy('/chat', {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${JSON.parse(boot.text).jwt}` },
      body: JSON.stringify({
        message: 'How do I change the desktop background?',
        dom_digest: 'main',
        conversation_id: 'conv-by-caddy',
        turn_idx: 0,
        url: `${publicUrl}/`,
      }),
    });
    expect(answer.text).toMatch(/"type":"citation"[\s\S]*"type":"message_end"/);
    expect(answer.chunkTimes.length).toBeGreaterThan(1);
  });

  it('gets a certificate for the domain of a help centre when it is visited, and for no other', async () => {
    const visit = (servername: string) =>
      fetchByCaddy('/en', { servername, headers: { host: servername, 'accept-language': 'en' } });
    const { status, text } = await visit(HELP_DOMAIN);
    expect(status).toBe(200);
    expect(text).toContain(`<link rel="canonical" href="https://${HELP_DOMAIN}/en">`);
    await expect(visit('other.shop.example')).rejects.toThrow(/alert internal error/);
  });

  it('redirects http to https', async () => {
    const { port } = new URL(publicUrl);
    const { http_port } = /http_port (?<http_port>\d+)/.exec(readFileSync(join(folder, 'Caddyfile'), 'utf8'))!
      .groups!;
    const response = await fetch(`http://localhost:${http_port}/demo?a=1`, { redirect: 'manual' });
    expect(response.status).toBe(308);
    // Caddy leaves out the port, which is 443 in production.
    expect(response.headers.get('location')).toMatch(new RegExp(`^https://localhost(:${port})?/demo\\?a=1$`));
  });

  it('passes the checks of guidepost doctor', async () => {
    const env = {
      PUBLIC_URL: publicUrl,
      TRUSTED_PROXIES: 'loopback',
      PORT: new URL(service.baseUrl).port,
      NODE_EXTRA_CA_CERTS: authority,
      GUIDEPOST_DEMO: 'on',
    };
    const { stdout } = await commandLine(service.dataDir, undefined, env).apart(['doctor', '--json']);
    const findings = (
      JSON.parse(stdout).findings as { check: string; status: string; message: string }[]
    ).filter(({ check }) => ['address', 'stream', 'proxy', 'tls'].includes(check));
    expect(findings.map(({ check }) => check).sort()).toEqual(['address', 'proxy', 'stream', 'tls']);
    // Caddy's own certificates last for twelve hours.
    expect(findings.filter(({ check, status }) => status !== 'ok' && check !== 'tls')).toEqual([]);
    expect(findings.find(({ check }) => check === 'tls')!.message).toMatch(/ends in 0 days/);
  });
});
