import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../server/settings/config.ts';
import { VOICE_DEFAULTS } from '../../server/storage/workspace-settings.ts';
import { field, openDemoSite, openPanel } from '../support/demo-site.ts';
import { type FakeEmbeddings, openFakeEmbeddings } from '../support/fake-embeddings.ts';
import { type FakeModel, openFakeModel } from '../support/fake-model/fake-model.ts';
import { type Harness, openHarness } from '../support/harness.ts';
import { type OtlpReceiver, openOtlpReceiver } from './otlp-receiver.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';
const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
/** A question with words that appear nowhere else. */
const QUESTION = 'How do I reset my password, said the zebra in Timbuktu?';
const [SERVER, CLIENT, INTERNAL] = [2, 3, 1];

let receiver: OtlpReceiver;
let model: FakeModel;
let embeddings: FakeEmbeddings;
beforeEach(async () => {
  [receiver, model, embeddings] = await Promise.all([
    openOtlpReceiver(),
    openFakeModel(),
    openFakeEmbeddings(),
  ]);
});
afterEach(async () => {
  await Promise.all([receiver.close(), model.close(), embeddings.close()]);
});

const otlp = (more: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
  ...more,
});

async function ask(harness: Harness, headers: Record<string, string> = {}) {
  const { jwt, visitor_id } = await harness.boot({}, headers);
  await harness.ask(jwt, { message: QUESTION }, headers);
  return visitor_id;
}

const find = (name: string) => receiver.spans.find((span) => span.name === name)!;

describe('a turn that a page has begun to trace', () => {
  it('is one trace from the request over the search to the model', async () => {
    model.says('Choose "Forgot password" [1].', { usage: { prompt_tokens: 321, completion_tokens: 12 } });
    const harness = await openHarness({ env: { ...otlp(), ...model.env() } });
    await ask(harness, { traceparent });
    await harness.close();

    const [request, retrieval, call] = [find('POST /chat'), find('retrieval'), find('chat a-model')];
    for (const span of [find('POST /boot'), request, retrieval, call]) expect(span.traceId).toBe(TRACE_ID);
    expect(request).toMatchObject({ kind: SERVER, parentSpanId: PARENT_ID, isError: false });
    expect(request.attributes).toMatchObject({
      'http.request.method': 'POST',
      'http.route': '/chat',
      'http.response.status_code': 200,
      'guidepost.operation': 'sendMessage',
    });
    expect(retrieval).toMatchObject({ kind: INTERNAL, parentSpanId: request.spanId });
    expect(retrieval.attributes).toMatchObject({
      'guidepost.retrieval.found': true,
      'guidepost.workspace.id': harness.workspace.id,
    });
    expect(call).toMatchObject({ kind: CLIENT, parentSpanId: request.spanId });
    expect(call.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': 'a-model',
      'gen_ai.usage.input_tokens': 321,
      'gen_ai.usage.output_tokens': 12,
      'gen_ai.response.finish_reasons': ['stop'],
      'server.address': '127.0.0.1',
    });
    const [sent] = model.mock.getRequests();
    expect(sent!.headers.traceparent).toBe(`00-${TRACE_ID}-${call.spanId}-01`);
  });

  it("logs its trace id on the request's line", async () => {
    const harness = await openHarness({ env: otlp() });
    await ask(harness, { traceparent });
    await harness.close();
    const line = harness.logged.find(({ operation }) => operation === 'sendMessage')!;
    expect(line).toMatchObject({
      trace_id: TRACE_ID,
      request_id: find('POST /chat').attributes['guidepost.request_id'],
    });
  });

  it("contains neither the question nor the visitor's identity", async () => {
    model.says('Choose "Forgot password" [1].');
    const harness = await openHarness({
      env: { ...otlp(), ...model.env(), ...embeddings.env() },
    });
    const visitorId = await ask(harness, { traceparent });
    const pseudonym = harness.pseudonym({ visitor_id: visitorId });
    const { jwt } = await harness.boot();
    await harness.fetch('/conversations/conv-of-a-test', { headers: { authorization: `Bearer ${jwt}` } });
    await harness.close();
    const bytes = receiver.bytes();
    expect(bytes).toContain('GET /conversations/:conversation_id');
    for (const secret of [
      'zebra',
      'Timbuktu',
      'Forgot password',
      visitorId,
      pseudonym,
      'conv-of-a-test',
      'sk-of-a-test',
      'Firefox',
    ])
      expect(bytes, secret).not.toContain(secret);
  });

  it('continues the trace of a page in a browser', async () => {
    model.says('Use the brightness slider [1].');
    const site = await openDemoSite({ env: { ...otlp(), ...model.env() } });
    const { page, pageErrors } = await site.open({
      html: (html) => html.replace('<head>', `<head><meta name="traceparent" content="${traceparent}">`),
    });
    await openPanel(page);
    await field(page).fill('How do I change the screen brightness?');
    await field(page).press('Enter');
    await page.getByText('Use the brightness slider').first().waitFor();
    expect(pageErrors).toEqual([]);
    await site.close();
    for (const name of ['POST /boot', 'POST /chat', 'retrieval', 'chat a-model'])
      expect(find(name), name).toMatchObject({ traceId: TRACE_ID });
    expect(find('POST /chat').parentSpanId).toBe(PARENT_ID);
  });
});

describe('spans', () => {
  it('show the calls of a speech provider within their request', async () => {
    const voice = { ...VOICE_DEFAULTS, enabled: true };
    const harness = await openHarness({ env: otlp(), settings: { voice } });
    const { jwt } = await harness.boot();
    const headers = { authorization: `Bearer ${jwt}` };
    const spoken = await harness.fetch('/tts', { json: { text: 'Zebras of Timbuktu.' }, headers });
    await spoken.arrayBuffer();
    await harness.close();
    expect(find('speak mock')).toMatchObject({
      kind: CLIENT,
      parentSpanId: find('POST /tts').spanId,
      attributes: { 'guidepost.speech.operation': 'speak', 'guidepost.speech.provider': 'mock' },
    });
    expect(receiver.bytes()).not.toContain('Timbuktu');
  });

  it('begin a trace of their own when the page has none', async () => {
    const harness = await openHarness({ env: otlp() });
    await ask(harness);
    await harness.close();
    expect(find('POST /chat')).toMatchObject({ parentSpanId: '' });
    expect(find('POST /chat').traceId).not.toBe(find('POST /boot').traceId);
  });

  it('record failures by a single word', async () => {
    model.errors(503);
    const harness = await openHarness({ env: { ...otlp(), ...model.env() } });
    await ask(harness);
    await harness.close();
    expect(find('chat a-model')).toMatchObject({
      isError: true,
      attributes: { 'error.type': 'overloaded' },
    });
    expect(find('POST /chat').isError).toBe(false);
  });

  it('name the calls of the embedding model', async () => {
    const harness = await openHarness({ env: { ...otlp(), ...embeddings.env() } });
    await harness.service.tick();
    await harness.close();
    expect(find(`embeddings ${embeddings.env().EMBEDDINGS_MODEL}`)).toMatchObject({
      kind: CLIENT,
      attributes: { 'gen_ai.operation.name': 'embeddings', 'gen_ai.usage.input_tokens': expect.any(Number) },
    });
  });

  it.each([
    ['always_off', '1', traceparent],
    ['traceidratio', '0', traceparent],
    ['parentbased_traceidratio', '0', ''],
    ['parentbased_always_on', '1', `00-${TRACE_ID}-${PARENT_ID}-00`],
  ])('are not recorded by the sampler %s with %s for "%s"', async (sampler, share, parent) => {
    const env = otlp({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share });
    const harness = await openHarness({ env });
    await ask(harness, parent ? { traceparent: parent } : {});
    await harness.close();
    expect(receiver.spans).toEqual([]);
    expect(receiver.metrics).not.toEqual([]);
  });
});

describe('metrics', () => {
  it('are those of /metrics, with the same names, values and buckets', async () => {
    const token = 'metrics-token-of-a-test';
    const harness = await openHarness({ env: otlp({ METRICS_TOKEN: token }) });
    await ask(harness);
    const headers = { authorization: `Bearer ${token}` };
    const text = await (await harness.fetch('/metrics', { headers })).text();
    await harness.close();
    const names = [...text.matchAll(/^# TYPE (\S+) (counter|gauge|histogram)$/gm)].map(([, name]) => name);
    expect(receiver.metrics.map(({ name }) => name).sort()).toEqual(names.sort());

    const metric = (name: string) => receiver.metrics.find((each) => each.name === name)!;
    const turns = metric('guidepost_turns_total');
    expect(turns).toMatchObject({ kind: 'sum', isMonotonic: true });
    expect(turns.points).toMatchObject([{ attributes: { finish_reason: 'stop' }, value: 1 }]);
    const seconds = metric('guidepost_request_seconds');
    expect(seconds).toMatchObject({ kind: 'histogram', unit: 's' });
    const chat = seconds.points.find(({ attributes }) => attributes.operation === 'sendMessage')!;
    expect(chat.count).toBe(1);
    expect(chat.bucketCounts.reduce((sum, count) => sum + count)).toBe(1);
    expect(chat.bucketCounts).toHaveLength(chat.bounds.length + 1);
    expect(metric('process_resident_memory_bytes')).toMatchObject({ kind: 'gauge', unit: 'By' });
  });

  it('are sent regularly', async () => {
    const harness = await openHarness({ env: otlp({ OTEL_METRIC_EXPORT_INTERVAL: '100' }) });
    await expect.poll(() => receiver.requests.length).toBeGreaterThan(2);
    await harness.close();
  });

  it('go to an address of their own, without traces', async () => {
    const env = { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: `${receiver.url}/v1/metrics` };
    const harness = await openHarness({ env });
    await ask(harness, { traceparent });
    await harness.close();
    expect([...new Set(receiver.requests.map(({ path }) => path))]).toEqual(['/v1/metrics']);
  });
});

it('telemetry names the service and its version', async () => {
  const harness = await openHarness({ env: otlp() });
  await ask(harness);
  await harness.close();
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  expect(receiver.resource).toMatchObject({
    'service.name': 'guidepost',
    'service.version': version,
    'telemetry.sdk.language': 'nodejs',
  });
  expect(receiver.requests.every(({ headers }) => headers['content-type'] === 'application/x-protobuf')).toBe(
    true,
  );
});

describe('a collector that is away', () => {
  it('neither disturbs answers nor keeps the service from stopping', async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_METRIC_EXPORT_INTERVAL: '100' };
    const harness = await openHarness({ env });
    await ask(harness);
    await expect.poll(() => harness.logged.some(({ msg }) => msg === 'could not send telemetry')).toBe(true);
    const began = performance.now();
    await harness.close();
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(harness.logged.filter(({ msg }) => msg === 'could not send telemetry')).toHaveLength(1);
  });
});

describe('without an endpoint', () => {
  it('nothing is sent, and no request has a trace', async () => {
    const harness = await openHarness();
    await ask(harness, { traceparent });
    await harness.close();
    expect(harness.config.telemetry).toBeUndefined();
    expect(harness.logged.some((line) => 'trace_id' in line)).toBe(false);
  });
});

it.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
  ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc'],
  ['OTEL_TRACES_SAMPLER_ARG', '2'],
])('the server rejects %s=%s at the start', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(name);
});
