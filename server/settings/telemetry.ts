import { z } from 'zod';
import type { ProxySettings } from '../base/proxy.ts';

/** Settings of OpenTelemetry, by their standard names. The exporters read the other standard variables themselves. */

const endpoint = z.url({ protocol: /^https?$/ }).optional();

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: endpoint.describe(
    'Base URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`, to which traces and metrics are sent by OTLP. ' +
      'If neither this nor a traces or metrics endpoint is set, nothing is exported.',
  ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint.describe('Address for traces, if it differs.'),
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint.describe('Address for metrics, if it differs.'),
  OTEL_EXPORTER_OTLP_PROTOCOL: z
    .enum(['http/protobuf'])
    .default('http/protobuf')
    .describe('The protocol of the collector.'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .default('parentbased_always_on')
    .describe(
      'Which traces to record. `parentbased_*` samplers follow the sampling decision of the page that started the trace.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .describe('Share of the traces to record, for the samplers named `traceidratio`.'),
  OTEL_METRIC_EXPORT_INTERVAL: z.coerce
    .number()
    .int()
    .min(100)
    .max(3_600_000)
    .default(60_000)
    .describe('Milliseconds between two exports of metrics.'),
};

export type TelemetrySettings = {
  /** Undefined when traces are off. */
  tracesUrl: string | undefined;
  /** Undefined when metrics are off. */
  metricsUrl: string | undefined;
  sampler: (typeof SAMPLERS)[number];
  sampledShare: number;
  metricMillis: number;
  /** Undefined when the collector is reached directly. */
  proxy: ProxySettings | undefined;
};

/** Returns undefined when no endpoint is set. */
export function parseTelemetrySettings(
  values: z.infer<z.ZodObject<typeof telemetrySettings>>,
  proxy: ProxySettings | undefined,
): TelemetrySettings | undefined {
  const base = values.OTEL_EXPORTER_OTLP_ENDPOINT?.replace(/\/+$/, '');
  const tracesUrl = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (base && `${base}/v1/traces`);
  const metricsUrl = values.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT ?? (base && `${base}/v1/metrics`);
  if (!tracesUrl && !metricsUrl) return undefined;
  return {
    tracesUrl,
    metricsUrl,
    sampler: values.OTEL_TRACES_SAMPLER,
    sampledShare: values.OTEL_TRACES_SAMPLER_ARG,
    metricMillis: values.OTEL_METRIC_EXPORT_INTERVAL,
    proxy,
  };
}
