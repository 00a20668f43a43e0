import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  defaultTextMapSetter,
  diag,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Registry } from 'prom-client';
import type { Log } from '../base/log.ts';
import type { ProxySettings } from '../base/proxy.ts';
import { VERSION } from '../base/version.ts';
import type { TelemetrySettings } from '../settings/telemetry.ts';
import { createRegistryProducer } from './registry-producer.ts';
import type { Span, SpanAttributes, SpanOptions, Telemetry } from './telemetry.ts';

/** Sends traces, and the metrics of the registry, to a collector by OTLP. Loaded only when an endpoint is set. */

const CLOSE_MILLIS_MAX = 2_000;
/** Time between two warnings, because an unavailable collector fails every few seconds. */
const WARN_MILLIS = 60_000;

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

export function openTelemetry(settings: TelemetrySettings, registry: Registry, log: Log): Telemetry {
  warnWhenAway(log);
  const resource = describeService();
  const traces = openTraces(settings, resource);
  const metrics = openMetrics(settings, resource, registry);
  const tracer = traces.getTracer('guidepost', VERSION.version);
  const propagator = new W3CTraceContextPropagator();
  // The API's global context is not used, because one process may run several services.
  const current = new AsyncLocalStorage<Context>();

  const startSpan = (name: string, { kind, attributes, headers }: SpanOptions): Span => {
    const parent = headers
      ? propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter)
      : (current.getStore() ?? ROOT_CONTEXT);
    const span = tracer.startSpan(name, { kind: KINDS[kind], attributes: toAttributes(attributes) }, parent);
    const context = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      get headers() {
        const carrier: Record<string, string> = {};
        propagator.inject(context, carrier, defaultTextMapSetter);
        return carrier;
      },
      run: (work) => current.run(context, work),
      set: (more) => void span.setAttributes(toAttributes(more)),
      fail: (type) => fail(span, type),
      end: () => span.end(),
    };
  };

  return {
    startSpan,
    async close() {
      const flushed = Promise.allSettled([traces.shutdown(), metrics?.shutdown()]);
      await Promise.race([flushed, pause(CLOSE_MILLIS_MAX, undefined, { ref: false })]);
    },
  };
}

function fail(span: OtelSpan, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function toAttributes(attributes: SpanAttributes) {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
}

/** Describes this process. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES take precedence. */
function describeService(): Resource {
  const own = resourceFromAttributes({
    'service.name': 'guidepost',
    'service.version': VERSION.version,
    'service.instance.id': randomUUID(),
    'vcs.ref.head.revision': VERSION.commit,
  });
  return defaultResource()
    .merge(own)
    .merge(detectResources({ detectors: [envDetector] }));
}

function openTraces({ tracesUrl, ...sampling }: TelemetrySettings, resource: Resource): TracerProvider {
  if (tracesUrl === undefined) return new TracerProvider({ sampler: new AlwaysOffSampler() });
  const exporter = new OTLPTraceExporter({ url: tracesUrl, ...connectThrough(sampling.proxy) });
  return new TracerProvider({
    resource,
    sampler: createSampler(sampling),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
}

function createSampler({
  sampler,
  sampledShare,
}: Pick<TelemetrySettings, 'sampler' | 'sampledShare'>): Sampler {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(sampledShare);
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root;
}

function openMetrics(
  { metricsUrl, metricMillis, proxy }: TelemetrySettings,
  resource: Resource,
  registry: Registry,
): MeterProvider | undefined {
  if (metricsUrl === undefined) return undefined;
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter({ url: metricsUrl, ...connectThrough(proxy) }),
    exportIntervalMillis: metricMillis,
    exportTimeoutMillis: Math.min(metricMillis, 30_000),
    metricProducers: [createRegistryProducer(registry, resource)],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

/** The exporters connect by Node's own agents, which know proxies since Node 22.21. */
function connectThrough(proxy: ProxySettings | undefined) {
  if (!proxy) return {};
  const { httpProxy, httpsProxy, noProxy } = proxy;
  const proxyEnv = { HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy || httpProxy, NO_PROXY: noProxy };
  return { httpAgentOptions: { keepAlive: true, proxyEnv } };
}

function warnWhenAway(log: Log): void {
  let quietUntil = 0;
  const warn = (message: string) => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + WARN_MILLIS;
    log.warn({ reason: message.slice(0, 500) }, 'could not send telemetry');
  };
  const ignore = () => {};
  diag.setLogger(
    { error: warn, warn, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}
