/** What a chart shows, whatever draws it. */

export type Tone = 'blue' | 'orange' | 'green' | 'gray';

export type Series = {
  readonly label: string;
  readonly tone: Tone;
  /** One for each period; undefined where there is nothing to show. */
  readonly values: readonly (number | undefined)[];
  /** What all of it comes to, in words, where a sum says something. */
  readonly sum?: string;
};

export type ChartData = {
  readonly title: string;
  readonly kind: 'bar' | 'line';
  /** The periods, as the reader would name them. */
  readonly periods: readonly { readonly start: string; readonly name: string }[];
  readonly series: readonly Series[];
  readonly write: (value: number | undefined) => string;
};
