import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openEngine } from '../../server/engine/open-engine.ts';
import { openEmbeddingServer } from '../../server/knowledge/embeddings/embedder.ts';
import { readConfig } from '../../server/settings/config.ts';
import { createFetcher } from '../../server/sources/website/fetch.ts';
import { openSpeech } from '../../server/speech/open-speech.ts';
import { buildQuestion, collectEvents, GROUNDED, joinText } from '../engine/questions.ts';
import { commandLine } from '../support/command-line.ts';
import { openFakeEmbeddings } from '../support/fake-embeddings.ts';
import { chunk, END, type FakeModel, openFakeModel, STREAM } from '../support/fake-model/fake-model.ts';
import { openFakeOpenAi } from '../support/fake-speech/openai.ts';
import { type ForwardProxy, openForwardProxy, PROXY_USER } from '../support/forward-proxy.ts';
import { openHarness } from '../support/harness.ts';
import { tempDir } from '../support/temp-dir.ts';
import { CERTIFICATE_FILE, openFront, trustCertificate } from '../support/tls/front.ts';
import { openOtlpReceiver } from '../telemetry/otlp-receiver.ts';

let proxy: ForwardProxy;
let fake: FakeModel;
const closing: (() => unknown)[] = [];
beforeAll(trustCertificate);
beforeEach(async () => {
  [proxy, fake] = await Promise.all([openForwardProxy(), openFakeModel()]);
  closing.push(proxy.close, fake.close);
});
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const close of closing.splice(0).reverse()) await close();
});

const address = () => `http://${PROXY_USER}${proxy.host}`;
const until = (isSo: () => boolean) => expect.poll(isSo).toBe(true);

async function ask(env: Record<string, string>): Promise<string> {
  const failures: string[] = [];
  const { engine, close } = await openEngine(fake.settings(env), {
    now: Date.now,
    onFailure: (_, error) => failures.push(String(error)),
  });
  closing.push(close);
  const events = await collectEvents(engine.answer(buildQuestion(), new AbortController().signal));
  return failures[0] ?? joinText(events);
}

describe('requests through a proxy', () => {
  it('reach a model over https by a tunnel, with HTTP/2', async () => {
    const front = await openFront(fake.mock.url);
    closing.push(front.close);
    fake.says(GROUNDED);
    const env = { LLM_BASE_URL: `${front.origin}/v1` };
    expect(await ask({ ...env, HTTPS_PROXY: address() })).toBe(GROUNDED);
    expect(await ask({ ...env, HTTP_PROXY: address() })).toBe(GROUNDED);
    expect(new Set(proxy.passed)).toEqual(new Set([`CONNECT ${new URL(front.origin).host}`]));
    expect(front.connections()).toBe(2);
    const { headers } = fake.mock.getRequests().at(-1)!;
    expect(JSON.stringify(headers)).not.toContain('proxy');
  });

  it('reach a model over http', async () => {
    fake.says(GROUNDED);
    expect(await ask({ HTTP_PROXY: address() })).toBe(GROUNDED);
    expect(proxy.passed.at(-1)).toBe(`POST ${fake.mock.url}/v1/chat/completions`);
  });

  it('end with the visitor', async () => {
    const leaves = new AbortController();
    const closed = Promise.withResolvers<void>();
    fake.onRaw((response) => {
      response.writeHead(200, STREAM).write(chunk(`${GROUNDED} Then`));
      response.on('close', closed.resolve);
    });
    const settings = fake.settings({ HTTP_PROXY: address() }, 'raw');
    const { engine, close } = await openEngine(settings, { now: Date.now });
    closing.push(close);
    for await (const { type } of engine.answer(buildQuestion(), leaves.signal))
      if (type === 'text') leaves.abort();
    await closed.promise;
  });

  it('time out as without it', async () => {
    fake.onRaw(() => {});
    const env = { HTTP_PROXY: address(), LLM_FIRST_TOKEN_TIMEOUT_MILLIS: '50' };
    const settings = { ...env, LLM_BASE_URL: `${fake.mock.url}/raw/v1` };
    expect(await ask(settings)).toContain('first_token_timeout: 50 ms');
  });

  it('prefer the names in lower case, and add http:// to a host', async () => {
    fake.says(GROUNDED);
    const env = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: `${PROXY_USER}${proxy.host}` };
    expect(await ask(env)).toBe(GROUNDED);
    expect(proxy.passed).not.toEqual([]);
  });

  it.each(['127.0.0.1', '*', 'other.example, 127.0.0.1'])('are not made for NO_PROXY=%s', async (hosts) => {
    fake.says(GROUNDED);
    expect(await ask({ HTTP_PROXY: address(), NO_PROXY: hosts })).toBe(GROUNDED);
    expect(await ask({ HTTP_PROXY: address(), no_proxy: hosts })).toBe(GROUNDED);
    expect(proxy.passed).toEqual([]);
  });

  it('fail with the status of a proxy that refuses them', async () => {
    const front = await openFront(fake.mock.url);
    closing.push(front.close);
    proxy.refuses(403);
    const https = { LLM_BASE_URL: `${front.origin}/v1`, HTTPS_PROXY: address() };
    expect(await ask(https)).toContain('unreachable: the proxy replied with status 403');
    const withoutPassword = { HTTP_PROXY: `http://${proxy.host}` };
    expect(await ask(withoutPassword)).toContain('unreachable: the proxy replied with status 407');
  });

  it('reach embeddings and speech providers', async () => {
    const [embeddings, speech] = await Promise.all([openFakeEmbeddings(), openFakeOpenAi()]);
    closing.push(embeddings.close, speech.close);
    const config = readConfig({ ...embeddings.env(), ...speech.env, HTTP_PROXY: address() });
    if (config.embeddings?.kind !== 'server') throw new Error('no server of embeddings');
    const embedder = openEmbeddingServer(config.embeddings);
    closing.push(embedder.close);
    await embedder.embed('query', ['secret'], new AbortController().signal);
    const [minter] = openSpeech(config.speech, { clock: { now: Date.now } }).minters;
    await minter!.mint({ kind: 'realtime' }, new AbortController().signal);
    expect(proxy.passed).toEqual([
      expect.stringMatching(/^POST http:\/\/\S+\/embeddings$/),
      expect.stringMatching(/^POST http:\/\/\S+\/realtime\/client_secrets$/),
    ]);
    proxy.refuses(403);
    await expect(embedder.embed('query', ['secret'], new AbortController().signal)).rejects.toThrow(/403/);
  });

  it('reach the collector of telemetry', async () => {
    const receiver = await openOtlpReceiver();
    closing.push(receiver.close);
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_METRIC_EXPORT_INTERVAL: '100',
      HTTP_PROXY: address(),
    };
    const harness = await openHarness({ env });
    closing.push(harness.close);
    await until(() => receiver.requests.length > 0);
    expect(proxy.passed).toContain(`POST ${receiver.url}/v1/metrics`);
  });

  it('are never made for sources', async () => {
    for (const name of ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY']) vi.stubEnv(name, address());
    const fetcher = createFetcher({ networks: ['127.0.0.0/8'] });
    closing.push(fetcher.close);
    const options = { signal: new AbortController().signal, bytesMax: 1000 };
    expect(await fetcher.get(`${fake.mock.url}/nothing`, options)).toMatchObject({ kind: 'gone' });
    expect(proxy.passed).toEqual([]);
  });
});

describe('guidepost doctor behind a proxy', () => {
  it('names the proxy without its credentials, and what it refuses', async () => {
    fake.says('OK');
    const settings = fake.env({ HTTP_PROXY: address(), NO_PROXY: '.internal' });
    const { runInProcess } = commandLine(tempDir(), Date.now, settings);
    const doctor = async () => {
      const { stdout } = await runInProcess(['doctor']);
      expect(stdout).not.toContain('secret-of-the-proxy');
      return stdout;
    };
    const found = await doctor();
    expect(found).toContain(`go through the proxy ${proxy.host}, except those to .internal (NO_PROXY)`);
    // The fake model answers, without a citation.
    expect(found).toMatch(/problem +model .*does not cite/);
    expect(proxy.passed).toContain(`HEAD ${fake.mock.url}/`);
    proxy.refuses(403);
    expect(await doctor()).toMatch(/problem +model .*status 403/);
  });

  it('trusts the certificates of NODE_EXTRA_CA_CERTS', async () => {
    const front = await openFront(fake.mock.url);
    closing.push(front.close);
    fake.onRaw((response) => response.writeHead(200, STREAM).end(`${chunk('OK')}${END}`));
    const { start } = commandLine(tempDir(), Date.now, {
      ...fake.env({ LLM_BASE_URL: `${front.origin}/raw/v1`, HTTPS_PROXY: address() }),
    });
    const run = async (env: Record<string, string>) => {
      const child = start(['doctor'], env);
      return (await child.stdout.toArray()).join('');
    };
    expect(await run({})).toMatch(/problem +model .*unreachable, \w*CERT\w*\).*its certificate/);
    expect(await run({ NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE })).toMatch(/problem +model .*does not cite/);
    expect(proxy.passed).toContain(`CONNECT ${new URL(front.origin).host}`);
  });
});
