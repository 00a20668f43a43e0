import { Box, useComputedColorScheme, useDirection } from '@mantine/core';
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartDataset,
  type ChartOptions,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js';
import { useEffect, useRef } from 'react';

export type Tone = 'blue' | 'orange' | 'green' | 'gray';

export type Series = {
  label: string;
  tone: Tone;
  /** One per period; undefined leaves a gap. */
  values: readonly (number | undefined)[];
  /** The formatted total, where a total makes sense. */
  sum?: string;
};

export type ChartData = {
  title: string;
  kind: 'bar' | 'line';
  /** With names in the user's language. */
  periods: readonly { start: string; name: string }[];
  series: readonly Series[];
  write: (value: number | undefined) => string;
};

// Registering single controllers keeps the rest of Chart.js out of the bundle.
Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
);

/** Contrast with the background of the scheme: at least 3:1, and 4.5:1 for text. */
const COLORS = {
  light: {
    text: '#495057',
    lines: '#dee2e6',
    blue: '#1c6bb8',
    orange: '#d9480f',
    green: '#2b8a3e',
    gray: '#6a7178',
  },
  dark: {
    text: '#c9c9c9',
    lines: '#424242',
    blue: '#74c0fc',
    orange: '#ffa94d',
    green: '#8ce99a',
    gray: '#adb5bd',
  },
} as const satisfies Record<string, Record<Tone | 'text' | 'lines', string>>;

type Scheme = keyof typeof COLORS;

const HEIGHT = 240;

/** A chart. For assistive technology, its label and the table contain the same data. */
export function ChartCanvas({ data, label }: { data: ChartData; label: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const scheme = useComputedColorScheme('light');
  const { dir } = useDirection();
  useEffect(() => {
    if (!canvas.current) return;
    const chart = new Chart(canvas.current, {
      type: data.kind,
      data: {
        labels: data.periods.map(({ name }) => name),
        datasets: data.series.map(toDataset(data.kind, scheme)),
      },
      options: toChartOptions(data, scheme, dir === 'rtl'),
    });
    return () => chart.destroy();
  }, [data, scheme, dir]);
  return (
    <Box pos="relative" h={HEIGHT}>
      <canvas ref={canvas} role="img" aria-label={label} />
    </Box>
  );
}

/** Distinguishes lines without relying on color. */
const DASHES = [[], [6, 4], [2, 3]];

function toDataset(kind: ChartData['kind'], scheme: Scheme) {
  return ({ label, tone, values }: Series, index: number): ChartDataset<'bar' | 'line'> => {
    const color = COLORS[scheme][tone];
    const common = { label, data: values.map((value) => value ?? Number.NaN), borderColor: color };
    return kind === 'bar'
      ? { ...common, backgroundColor: color, stack: 'all', maxBarThickness: 28 }
      : {
          ...common,
          backgroundColor: color,
          borderWidth: 2,
          borderDash: DASHES[index % DASHES.length] ?? [],
          pointRadius: values.length > 40 ? 0 : 2,
          pointHitRadius: 12,
        };
  };
}

function toChartOptions(
  { kind, series, write }: ChartData,
  scheme: Scheme,
  rtl: boolean,
): ChartOptions<'bar' | 'line'> {
  const { text, lines } = COLORS[scheme];
  return {
    animation: false,
    maintainAspectRatio: false,
    color: text,
    interaction: { mode: 'index', intersect: false },
    plugins: {
      legend: {
        display: series.length > 1,
        position: 'bottom',
        rtl,
        labels: { color: text, boxWidth: 24, usePointStyle: kind === 'line', pointStyle: 'line' },
      },
      tooltip: {
        rtl,
        callbacks: {
          label: ({ dataset, parsed }) => `${dataset.label}: ${write(parsed.y ?? undefined)}`,
        },
      },
    },
    scales: {
      x: {
        stacked: kind === 'bar',
        reverse: rtl,
        grid: { display: false },
        border: { color: lines },
        ticks: { color: text, maxRotation: 0, autoSkipPadding: 16 },
      },
      y: {
        stacked: kind === 'bar',
        beginAtZero: true,
        position: rtl ? 'right' : 'left',
        border: { display: false },
        grid: { color: lines },
        ticks: { color: text, precision: 0, maxTicksLimit: 6, callback: (value) => write(Number(value)) },
      },
    },
  };
}
