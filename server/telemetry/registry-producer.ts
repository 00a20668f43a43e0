import { type HrTime, ValueType } from '@opentelemetry/api';
import { hrTime, millisToHrTime } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import type { MetricObjectWithValues, MetricValue, MetricValueWithName, Registry } from 'prom-client';
import { VERSION } from '../base/version.ts';

/** Exports the metrics of the registry, which are declared once, under the same names as at /metrics. */
export function createRegistryProducer(registry: Registry, resource: Resource): MetricProducer {
  const startTime = millisToHrTime(Math.round(performance.timeOrigin));
  return {
    async collect() {
      const registryMetrics = await registry.getMetricsAsJSON();
      const times = { startTime, endTime: hrTime() };
      const metrics = registryMetrics.flatMap((metric) => toMetricData(metric as AnyMetric, times) ?? []);
      const scope = { name: 'guidepost', version: VERSION.version };
      return { resourceMetrics: { resource, scopeMetrics: [{ scope, metrics }] }, errors: [] };
    },
  };
}

/** prom-client returns the type as a string, unlike its type declaration. */
type AnyMetric = Omit<MetricObjectWithValues<MetricValue<string>>, 'type'> & { type: unknown };
type Times = { startTime: HrTime; endTime: HrTime };

function toMetricData({ name, help, type, values }: AnyMetric, times: Times): MetricData | undefined {
  const descriptor = { name, description: help, unit: getUnit(name), valueType: ValueType.DOUBLE };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  if (type === 'histogram') {
    const dataPoints = toHistograms(values as MetricValueWithName<string>[], times);
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = values.map(({ labels, value }) => ({
    ...times,
    attributes: labels as Record<string, string>,
    value,
  }));
  if (type === 'gauge')
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints };
  if (type !== 'counter') return undefined;
  return {
    ...{ descriptor, aggregationTemporality, dataPoints },
    dataPointType: DataPointType.SUM,
    isMonotonic: true,
  };
}

function getUnit(name: string): string {
  const base = name.replace(/_total$/, '');
  if (base.endsWith('_seconds')) return 's';
  return base.endsWith('_bytes') ? 'By' : '';
}

/** Converts the buckets of Prometheus, which are cumulative, to those of OpenTelemetry, which are not. */
function toHistograms(values: readonly MetricValueWithName<string>[], times: Times): DataPoint<Histogram>[] {
  const series = Map.groupBy(values, ({ labels: { le: _, ...labels } }) => JSON.stringify(labels));
  return Array.from(series.values(), (rows) => {
    const { le: _, ...labels } = rows[0]!.labels as Record<string, string>;
    const find = (suffix: string) => rows.find(({ metricName }) => metricName?.endsWith(suffix))?.value ?? 0;
    const buckets = rows.filter(({ metricName }) => metricName?.endsWith('_bucket'));
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    // The last boundary is infinite.
    const boundaries = buckets.slice(0, -1).map(({ labels }) => Number(labels.le));
    return {
      ...times,
      attributes: labels,
      value: { buckets: { boundaries, counts }, sum: find('_sum'), count: find('_count') },
    };
  });
}
