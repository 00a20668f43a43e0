import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '../log.ts';
import type { SpeechObserver } from '../speech/speech.ts';
import type { ApiError } from './errors.ts';

/** What is counted and logged of every request: one line, no bodies, no secrets, no addresses. */
export type RequestMetrics = {
  observe(request: IncomingMessage, response: ServerResponse, requestId: string): void;
  recordError(request: IncomingMessage, error: ApiError): void;
  readonly registry: Registry;
  readonly turns: Counter<'finish_reason'>;
  readonly droppedActions: Counter<string>;
  readonly droppedOutput: Counter<'what'>;
  readonly openStreams: Gauge<string>;
  readonly uploadBytes: Gauge<string>;
  /** A use of voice has ended, and so many seconds are charged for it. */
  voiceUsed(use: {
    readonly kind: string;
    readonly provider: string;
    readonly outcome: string;
    readonly seconds: number;
  }): void;
  readonly voiceCapExceeded: Counter<string>;
  readonly providerAnswered: SpeechObserver;
};

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export function createMetrics(log: Log): RequestMetrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const requests = new Counter({
    name: 'guidepost_requests_total',
    help: 'Requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'guidepost_request_seconds',
    help: 'From the head of a request to the end of its answer.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  });
  const errorCodes = new Counter({
    name: 'guidepost_errors_total',
    help: 'Refusals by code.',
    labelNames: ['code'],
    registers,
  });
  const turns = new Counter({
    name: 'guidepost_turns_total',
    help: 'Chat turns by how they finished.',
    labelNames: ['finish_reason'] as const,
    registers,
  });
  const droppedActions = new Counter({
    name: 'guidepost_dropped_actions_total',
    help: 'Actions that an engine proposed and the service did not let through.',
    registers,
  });
  const droppedOutput = new Counter({
    name: 'guidepost_dropped_output_total',
    help: 'Links, citations and suggestions in answers that the service did not let through.',
    labelNames: ['what'] as const,
    registers,
  });
  const openStreams = new Gauge({
    name: 'guidepost_open_streams',
    help: 'Answers that are streaming at this moment.',
    registers,
  });
  const uploadBytes = new Gauge({
    name: 'guidepost_upload_bytes',
    help: 'Bytes of uploads that are in memory at this moment.',
    registers,
  });
  const voiceUses = new Counter({
    name: 'guidepost_voice_uses_total',
    help: 'Uses of voice by what for, by whom and how they ended.',
    labelNames: ['kind', 'provider', 'outcome'] as const,
    registers,
  });
  const voiceSeconds = new Counter({
    name: 'guidepost_voice_seconds_total',
    help: 'Seconds of voice that were charged.',
    labelNames: ['kind', 'provider'] as const,
    registers,
  });
  const voiceCapExceeded = new Counter({
    name: 'guidepost_voice_cap_exceeded_total',
    help: 'Requests that were refused because the month of a workspace is used up.',
    registers,
  });
  const providerSeconds = new Histogram({
    name: 'guidepost_speech_provider_seconds',
    help: 'Until a speech provider answered; for speech, until its first bytes.',
    labelNames: ['provider', 'operation', 'outcome'] as const,
    buckets: SECONDS,
    registers,
  });
  const errors = new WeakMap<IncomingMessage, ApiError>();

  return {
    registry,
    turns,
    droppedActions,
    droppedOutput,
    openStreams,
    uploadBytes,
    voiceUsed({ kind, provider, outcome, seconds: charged }) {
      voiceUses.inc({ kind, provider, outcome });
      voiceSeconds.inc({ kind, provider }, charged);
    },
    voiceCapExceeded,
    providerAnswered: ({ provider, operation, outcome, millis }) =>
      providerSeconds.observe({ provider, operation, outcome }, millis / 1000),
    observe(request, response, requestId) {
      const startedAt = performance.now();
      response.setHeader('x-request-id', requestId);
      response.on('close', () => {
        const elapsed = performance.now() - startedAt;
        const operation = operationOf(request);
        const status = response.headersSent ? response.statusCode : 499;
        requests.inc({ operation, status: String(status) });
        seconds.observe({ operation }, elapsed / 1000);
        const error = errors.get(request);
        log.info({
          request_id: requestId,
          method: request.method,
          operation,
          status,
          millis: Math.round(elapsed * 10) / 10,
          ...(error
            ? { error: error.code, reason: error.code === 'internal' ? undefined : error.reason }
            : {}),
        });
      });
    },
    recordError(request, error) {
      errors.set(request, error);
      errorCodes.inc({ code: error.code });
      if (error.code === 'internal') log.error({ reason: error.reason }, 'internal error');
    },
  };
}

/** The operation id of a contract route; other addresses are not told apart, so that strangers cannot invent labels. */
function operationOf(request: IncomingMessage): string {
  const route = (request as { tsRestRoute?: { metadata: { operationId: string } } }).tsRestRoute;
  return route?.metadata.operationId ?? 'other';
}
