/** The telemetry port: spans of requests, searches and model calls. Only the adapter knows OpenTelemetry. */

/** Never contains a visitor's text or id. Undefined attributes are left out. */
export type SpanAttributes = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>;

export type SpanOptions = {
  kind: 'server' | 'client' | 'internal';
  attributes: SpanAttributes;
  /** Headers of a request that may continue a trace (W3C Trace Context). By default, the current span is the parent. */
  headers?: Readonly<Record<string, string | string[] | undefined>>;
};

export type Span = {
  traceId: string;
  /** Headers by which another service continues the trace. */
  headers: Readonly<Record<string, string>>;
  /** Makes this the current span of `work` and of all that it starts. */
  run<T>(work: () => T): T;
  set(attributes: SpanAttributes): void;
  /** `type` is one of a small set of words, not an error's message, which may quote a visitor. */
  fail(type: string): void;
  end(): void;
};

export type Telemetry = {
  startSpan(name: string, options: SpanOptions): Span;
  /** Sends remaining spans, for at most two seconds. */
  close(): Promise<void>;
};
