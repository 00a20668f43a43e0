import type { IncomingMessage, ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Log } from '../base/log.ts';
import type { CoordinationState } from '../coordination/coordination.ts';
import type { SpeechObserver } from '../speech/speech.ts';
import { type ConnectionStats, STORAGE_PROBLEMS, type StorageProblem } from '../storage/availability.ts';
import type { ContextRequest } from './context.ts';
import type { ApiError } from './errors.ts';
import { type Exceeded, RESOURCES, type Resource, type ResourceLimits } from './resource-limits.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const FIRST_TOKEN_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16];

export type Metrics = ReturnType<typeof createMetrics>;

/** Creates everything that /metrics shows, and writes the log line of each request. */
export function createMetrics(log: Log) {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return {
    registry,
    /** Shows what is wrong with the stored data. Call it once. */
    observeStorage(readProblems: () => readonly StorageProblem[]): void {
      new Gauge({
        name: 'guidepost_storage_problem',
        help: '1 while the stored data has this problem.',
        labelNames: ['problem'] as const,
        registers: [registry],
        collect() {
          const problems = readProblems();
          for (const problem of STORAGE_PROBLEMS) this.set({ problem }, problems.includes(problem) ? 1 : 0);
        },
      });
    },
    /** Shows when the last regular backup was written. Call it at most once. */
    observeBackups(newestAt: () => number | undefined): void {
      new Gauge({
        name: 'guidepost_backup_timestamp_seconds',
        help: 'When the newest regular backup was written and verified; 0 without any.',
        registers: [registry],
        collect() {
          this.set((newestAt() ?? 0) / 1000);
        },
      });
    },
    /** Shows whether this node is connected to the others. Call it once, if there are others. */
    observeCoordination(readState: () => CoordinationState): void {
      new Gauge({
        name: 'guidepost_coordination_alone',
        help: '1 while Redis is unreachable and this node has its own limits, turns and jobs.',
        registers: [registry],
        collect() {
          this.set(readState() === 'alone' ? 1 : 0);
        },
      });
    },
    /** Shows the connections to the database server. Call it at most once. */
    observeConnections: (read: () => ConnectionStats) => observeConnections(registry, read),
    /** Shows how far the replica is behind. Call it at most once. */
    observeReplica: (readLag: () => Promise<number | undefined>) => observeReplica(registry, readLag),
    ...createRequestMetrics(registry, log),
    resourceLimits: createResourceMetrics(registry),
    chat: createChatMetrics(registry),
    voice: createVoiceMetrics(registry),
    llm: createLlmMetrics(registry),
    embeddings: createEmbeddingMetrics(registry),
  };
}

function observeConnections(registry: Registry, read: () => ConnectionStats): void {
  const registers = [registry];
  new Gauge({
    name: 'guidepost_database_connections',
    help: 'Connections to the database server that are in use or idle, and callers that wait for one.',
    labelNames: ['state'] as const,
    registers,
    collect() {
      const { open, idle, waiting } = read();
      this.set({ state: 'used' }, open - idle);
      this.set({ state: 'idle' }, idle);
      this.set({ state: 'waiting' }, waiting);
    },
  });
  new Gauge({
    name: 'guidepost_database_transactions_total',
    help: 'Transactions that write, since the start.',
    registers,
    collect() {
      this.set(read().transactions);
    },
  });
  new Gauge({
    name: 'guidepost_database_lock_wait_seconds_total',
    help: 'How long transactions have waited for the locks of their workspaces, since the start.',
    registers,
    collect() {
      this.set(read().lockWaitMillis / 1000);
    },
  });
}

function observeReplica(registry: Registry, readLag: () => Promise<number | undefined>): void {
  new Gauge({
    name: 'guidepost_database_replica_lag_seconds',
    help: 'How far the replica of the database is behind; not a number while it cannot be reached.',
    registers: [registry],
    async collect() {
      this.set((await readLag()) ?? Number.NaN);
    },
  });
}

function createRequestMetrics(registry: Registry, log: Log) {
  const registers = [registry];
  const requests = new Counter({
    name: 'guidepost_requests_total',
    help: 'Requests by operation and status.',
    labelNames: ['operation', 'status'],
    registers,
  });
  const seconds = new Histogram({
    name: 'guidepost_request_seconds',
    help: 'Time from the request headers to the end of the response.',
    labelNames: ['operation'],
    buckets: SECONDS,
    registers,
  });
  const overloads = new Counter({
    name: 'guidepost_shed_total',
    help: 'Requests refused because the event loop was late.',
    registers,
  });
  const errorCodes = new Counter({
    name: 'guidepost_errors_total',
    help: 'Error responses by code.',
    labelNames: ['code'],
    registers,
  });
  const errors = new WeakMap<IncomingMessage, ApiError>();

  return {
    /** Counts and logs the request when its response closes: one line, with no bodies, secrets or addresses. */
    observe(request: ContextRequest, response: ServerResponse): void {
      const startedAt = performance.now();
      response.setHeader('x-request-id', request.ctx.id);
      response.on('close', () => {
        const elapsed = performance.now() - startedAt;
        // Paths outside the contract share one label, so strangers cannot create labels.
        const operation = request.ctx.route?.metadata.operationId ?? 'other';
        const status = response.headersSent ? response.statusCode : 499;
        requests.inc({ operation, status: String(status) });
        seconds.observe({ operation }, elapsed / 1000);
        log.info(toLogLine(request, { operation, status, elapsed }, errors.get(request)));
      });
    },
    recordOverload: () => overloads.inc(),
    recordError(request: IncomingMessage, error: ApiError): void {
      errors.set(request, error);
      errorCodes.inc({ code: error.code });
      if (error.code === 'internal') log.error({ reason: error.reason }, 'internal error');
    },
  };
}

function toLogLine(
  { method, ctx }: ContextRequest,
  { operation, status, elapsed }: { operation: string; status: number; elapsed: number },
  error: ApiError | undefined,
) {
  return {
    request_id: ctx.id,
    method,
    operation,
    status,
    millis: Math.round(elapsed * 10) / 10,
    trace_id: ctx.traceId,
    ...(error && { error: error.code, reason: error.code === 'internal' ? undefined : error.reason }),
  };
}

function createResourceMetrics(registry: Registry) {
  const exceeded = new Counter({
    name: 'guidepost_refusals_total',
    help: 'Connections, bodies and streams that were refused because the total, or the share of a network, visitor or workspace, was used up.',
    labelNames: ['resource', 'by'] as const,
    registers: [registry],
  });
  return {
    recordExceeded: (resource: Resource, by: Exceeded) => exceeded.inc({ resource, by }),
    /** Shows what is held now. */
    observe({ held }: ResourceLimits): void {
      new Gauge({
        name: 'guidepost_held',
        help: 'Connections, bytes of request bodies, and answer streams that requests hold.',
        labelNames: ['resource'] as const,
        registers: [registry],
        collect() {
          for (const resource of RESOURCES) this.set({ resource }, held(resource));
        },
      });
    },
  };
}

function createChatMetrics(registry: Registry) {
  const registers = [registry];
  return {
    turns: new Counter({
      name: 'guidepost_turns_total',
      help: 'Chat turns by finish reason.',
      labelNames: ['finish_reason'] as const,
      registers,
    }),
    droppedActions: new Counter({
      name: 'guidepost_dropped_actions_total',
      help: 'Actions that an engine proposed and the service dropped.',
      registers,
    }),
    droppedOutput: new Counter({
      name: 'guidepost_dropped_output_total',
      help: 'Links, citations and suggestions that the service dropped from answers.',
      labelNames: ['what'] as const,
      registers,
    }),
    openStreams: new Gauge({ name: 'guidepost_open_streams', help: 'Answers being streamed.', registers }),
  };
}

function createVoiceMetrics(registry: Registry) {
  const registers = [registry];
  const uses = new Counter({
    name: 'guidepost_voice_uses_total',
    help: 'Uses of voice by kind, provider and outcome.',
    labelNames: ['kind', 'provider', 'outcome'] as const,
    registers,
  });
  const seconds = new Counter({
    name: 'guidepost_voice_seconds_total',
    help: 'Seconds of voice charged.',
    labelNames: ['kind', 'provider'] as const,
    registers,
  });
  const providerSeconds = new Histogram({
    name: 'guidepost_speech_provider_seconds',
    help: 'Time until a speech provider responded; for speech, until its first bytes.',
    labelNames: ['provider', 'operation', 'outcome'] as const,
    buckets: SECONDS,
    registers,
  });
  const observeProvider: SpeechObserver = ({ provider, operation, outcome, millis }) =>
    providerSeconds.observe({ provider, operation, outcome }, millis / 1000);
  return {
    observeProvider,
    /** Records a finished use of voice and the seconds charged for it. */
    recordUse(use: { kind: string; provider: string; outcome: string; seconds: number }): void {
      const { kind, provider, outcome } = use;
      uses.inc({ kind, provider, outcome });
      seconds.inc({ kind, provider }, use.seconds);
    },
    capExceeded: new Counter({
      name: 'guidepost_voice_cap_exceeded_total',
      help: 'Requests rejected because the workspace has used up its monthly voice seconds.',
      registers,
    }),
  };
}

function createLlmMetrics(registry: Registry) {
  const registers = [registry];
  const firstTokenSeconds = new Histogram({
    name: 'guidepost_llm_first_token_seconds',
    help: 'Time from the request to the language model to the first text of its answer.',
    buckets: FIRST_TOKEN_SECONDS,
    registers,
  });
  const tokens = new Counter({
    name: 'guidepost_llm_tokens_total',
    help: 'Tokens that the language model has read (input) and written (output).',
    labelNames: ['kind'] as const,
    registers,
  });
  const failures = new Counter({
    name: 'guidepost_llm_failures_total',
    help: 'Answers of the language model that failed or were cut off.',
    labelNames: ['reason'] as const,
    registers,
  });
  const fallbacks = new Counter({
    name: 'guidepost_llm_fallbacks_total',
    help: 'Turns answered by the extractive engine instead of the language model.',
    labelNames: ['reason'] as const,
    registers,
  });
  return {
    recordFirstText: (millis: number) => firstTokenSeconds.observe(millis / 1000),
    recordUsage({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }): void {
      tokens.inc({ kind: 'input' }, inputTokens);
      tokens.inc({ kind: 'output' }, outputTokens);
    },
    recordFailure: (reason: string) => failures.inc({ reason }),
    recordFallback: (reason: string) => fallbacks.inc({ reason }),
  };
}

function createEmbeddingMetrics(registry: Registry) {
  const registers = [registry];
  const questions = new Counter({
    name: 'guidepost_embedded_questions_total',
    help: 'Questions sent to the embedding model: similar articles were found, the reply was too late, or it failed.',
    labelNames: ['outcome'] as const,
    registers,
  });
  return {
    recordQuestion: (outcome: string) => questions.inc({ outcome }),
    /** Shows how far indexing is. Call at most once, when there is an embedding model. */
    observeProgress(readProgress: () => Promise<{ passages: number; embedded: number }>): void {
      new Gauge({
        name: 'guidepost_embedding_passages',
        help: 'Published articles whose source has embeddings, and those that do not have them yet.',
        labelNames: ['state'] as const,
        registers,
        async collect() {
          const { passages, embedded } = await readProgress();
          this.set({ state: 'embedded' }, embedded);
          this.set({ state: 'waiting' }, Math.max(0, passages - embedded));
        },
      });
    },
  };
}
