import { hash } from 'node:crypto';
import { VOICE_LIMITS } from '../../contract/limits/voice.ts';
import type { voice } from '../../contract/voice.ts';
import { parseAcceptLanguage } from '../base/locale.ts';
import { getCalendarMonth } from '../base/month.ts';
import { truncate } from '../base/text.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, Handlers, ResponseOf, VisitorCaller } from '../http/handler.ts';
import type {
  MintedToken,
  RecordedAudio,
  SpeechProviderName,
  TokenKind,
  TokenMinter,
} from '../speech/speech.ts';
import { callFirstAvailable, isMockOnly, selectProviders } from './provider-order.ts';
import {
  activateSession,
  clampSessionSeconds,
  estimateRecordedSeconds,
  grantExpected,
  grantSession,
  releaseReservation,
  reserveSeconds,
  settleReservation,
  throwCapExceeded,
  type VoiceDeps,
} from './reservations.ts';
import { speak } from './speak.ts';

export function voiceHandlers(deps: VoiceDeps): Handlers<typeof voice> {
  return {
    async getTranscribeToken(input) {
      requireVoice(input.caller);
      return mintToken(deps, input);
    },
    async transcribeAudio(input) {
      requireVoice(input.caller);
      return transcribe(deps, input);
    },
    async speakText(input) {
      requireVoice(input.caller);
      return speak(deps, input);
    },
    // Sessions that began before voice was disabled can still be reported.
    reportVoiceUsage: (input) => reportUsage(deps, input),
  };
}

function requireVoice({ workspace }: VisitorCaller): void {
  if (!workspace.settings.voice.enabled) throwApiError('voice/disabled');
}

type TokenInput = HandlerInput<typeof voice.getTranscribeToken>;
type TokenResponse = ResponseOf<typeof voice.getTranscribeToken>;

const UPLOAD_PROVIDER = 'provider_b-batch';

/** Reserves seconds before calling a provider, so every token is accounted for. */
async function mintToken(deps: VoiceDeps, input: TokenInput): Promise<TokenResponse> {
  const { voice: settings } = input.caller.workspace.settings;
  const { kind, order } = selectMinters(
    deps.speech.minters,
    input.query.provider ?? 'auto',
    settings.tokenProvider,
  );
  const mint = () =>
    callFirstAvailable(order, (provider) =>
      provider.mint({ kind, ...getLocaleParam(input) }, input.ctx.signal),
    );

  if (isMockOnly(order)) return toTokenResponse(await mint(), 0);
  if (kind === 'batch') {
    await assertBelowCap(deps, input);
    return toTokenResponse(await mint(), 0);
  }
  const provider = order[0]!.name;
  const reservation = await reserveSeconds(deps, input, { kind, provider }, (counted, now) =>
    grantSession(counted, settings, now),
  );
  try {
    const minted = await mint();
    // The client has disconnected and never receives the token.
    if (input.ctx.signal.aborted) return throwApiError('voice/provider_failed', 'the caller disconnected');
    const { token, expiresAt } = minted.result;
    const isUpdated = await deps.store
      .in(input.caller.workspace.id)
      .voiceReservations.update(reservation.id, {
        ...activateSession(reservation, expiresAt),
        provider: minted.by.name,
        tokenHash: hashToken(token),
      });
    if (!isUpdated) return throwApiError('voice/provider_failed', 'the reservation has expired');
    return toTokenResponse(minted, reservation.seconds);
  } catch (error) {
    await releaseReservation(deps, input, reservation);
    throw error;
  }
}

type MinterSelection = { kind: TokenKind; order: readonly TokenMinter[] };

/**
 * Selects the kind of token and its providers. A workspace that chose uploads gets live sessions
 * when provider_b is not configured.
 */
function selectMinters(
  minters: readonly TokenMinter[],
  requested: string,
  preferred: string | undefined,
): MinterSelection {
  const listMinters = (kind: TokenKind) => minters.filter(({ kinds }) => kinds.includes(kind));
  const uploads: MinterSelection = {
    kind: 'batch',
    order: selectProviders(listMinters('batch'), 'provider_b'),
  };
  if (
    requested === UPLOAD_PROVIDER ||
    (requested === 'auto' && preferred === UPLOAD_PROVIDER && !isMockOnly(uploads.order))
  )
    return uploads;
  return { kind: 'realtime', order: selectProviders(listMinters('realtime'), requested, preferred) };
}

/** Hashes a token. Reports are matched by hash, so the token itself is never stored. */
function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Fails early when the cap is reached. Each recording makes its own reservation later. */
async function assertBelowCap({ store, clock, onCap }: VoiceDeps, { caller }: TokenInput): Promise<void> {
  const { id: workspaceId, settings } = caller.workspace;
  const month = getCalendarMonth(clock.now(), settings.voice.timeZone);
  const total = await store.in(workspaceId).voiceReservations.totalSeconds(month.period);
  if (total < settings.voice.monthlySecondsMax) return;
  onCap({ workspaceId, visitorId: caller.visitorId });
  throwCapExceeded(clock.now(), month);
}

function getLocaleParam({ ctx }: TokenInput): { locale?: string } {
  const [locale] = parseAcceptLanguage(ctx.headers['accept-language']).wanted;
  return locale === undefined ? {} : { locale };
}

function toTokenResponse(
  { by, result }: { by: TokenMinter; result: MintedToken },
  reservedSeconds: number,
): TokenResponse {
  const { token, expiresAt, mode, transport, url } = result;
  return {
    status: 200,
    body: {
      token,
      provider: toIssuer(by.name),
      expires_at: Math.floor(expiresAt / 1000),
      mode,
      transport,
      reserved_seconds: reservedSeconds,
      url,
    },
  };
}

function toIssuer(name: SpeechProviderName): 'provider_a' | 'provider_b' | 'mock' {
  if (name === 'provider_c') throw new Error('provider_c does not mint tokens');
  return name;
}

/**
 * Only the visitor who received the token can report its session, once. Unreported sessions are
 * charged in full.
 */
async function reportUsage(
  deps: VoiceDeps,
  input: HandlerInput<typeof voice.reportVoiceUsage>,
): Promise<ResponseOf<typeof voice.reportVoiceUsage>> {
  const { body, caller } = input;
  const reservation = await deps.store
    .in(caller.workspace.id)
    .voiceReservations.findByToken(caller.visitorId, hashToken(body.token));
  if (!reservation) return toUsageResponse(undefined);
  const { provider } = reservation;
  const seconds = clampSessionSeconds(body.elapsed_seconds, reservation, deps.clock.now());
  return toUsageResponse(
    await settleReservation(deps, input, reservation, { provider, outcome: 'finished', seconds }),
  );
}

function toUsageResponse(charged: number | undefined): ResponseOf<typeof voice.reportVoiceUsage> {
  return { status: 200, body: { recorded: charged !== undefined, charged_seconds: charged ?? 0 } };
}

type TranscribeInput = HandlerInput<typeof voice.transcribeAudio>;

const RETRY_UNCONFIGURED_SECONDS = 60;

async function transcribe(
  deps: VoiceDeps,
  input: TranscribeInput,
): Promise<ResponseOf<typeof voice.transcribeAudio>> {
  const { voice: settings } = input.caller.workspace.settings;
  const order = selectProviders(deps.speech.transcribers, 'auto', settings.transcribeProvider);
  const first = order[0];
  if (!first) {
    return throwApiError('voice/not_configured', undefined, { retryAfterSec: RETRY_UNCONFIGURED_SECONDS });
  }
  const { audio: bytes } = input.body;
  const detected = await detectAudio(bytes);
  if (!detected) return throwApiError('voice/unsupported_audio', `${bytes.length} bytes`);
  const { seconds: duration, ...kind } = detected;
  const expectedSeconds = estimateRecordedSeconds(bytes.length, duration);
  const reservation = await reserveSeconds(
    deps,
    input,
    { kind: 'transcribe', provider: first.name },
    (counted, now) => grantExpected(expectedSeconds, counted, settings, now),
  );
  const { signal } = input.ctx;
  try {
    const { by, result } = await callFirstAvailable(order, (provider) =>
      provider.transcribe({ bytes, ...kind }, signal),
    );
    const { text, model, seconds = duration ?? expectedSeconds } = result;
    await settleReservation(deps, input, reservation, { provider: by.name, outcome: 'finished', seconds });
    return { status: 200, body: { text: truncate(text, VOICE_LIMITS.transcriptCharsMax), model } };
  } catch (error) {
    // The provider bills a transcription even if the caller has left.
    if (signal.aborted) await chargeInFull();
    else await releaseReservation(deps, input, reservation);
    throw error;
  }

  async function chargeInFull(): Promise<void> {
    const use = { provider: first!.name, outcome: 'interrupted', seconds: expectedSeconds } as const;
    await settleReservation(deps, input, reservation, use).catch((error) =>
      deps.log.warn({ err: error }, 'failed to settle a recording; it is charged in full when it expires'),
    );
  }
}

type DetectedAudio = Pick<RecordedAudio, 'mime' | 'extension'> & {
  /** Duration. Absent when the recording does not state it, as in WebM that a browser streams. */
  seconds?: number;
};

/**
 * Supported containers by the start of their name; the order matters where one name is a prefix of
 * another.
 */
const CONTAINERS: readonly (readonly [container: RegExp, kind: DetectedAudio])[] = [
  [/^EBML\/webm|^WebM|^EBML\/matroska|^Matroska/i, { mime: 'audio/webm', extension: 'webm' }],
  [/^Ogg/i, { mime: 'audio/ogg', extension: 'ogg' }],
  [/^WAVE/i, { mime: 'audio/wav', extension: 'wav' }],
  [/^FLAC/i, { mime: 'audio/flac', extension: 'flac' }],
  [/^ADTS/i, { mime: 'audio/aac', extension: 'aac' }],
  [/^MPEG/i, { mime: 'audio/mpeg', extension: 'mp3' }],
  [/^(M4A|mp4|isom|iso[0-9]|dash|qt)|MPEG-?4/i, { mime: 'audio/mp4', extension: 'm4a' }],
];

/**
 * Detects a recording by its bytes, never by the claimed media type or file name. Returns undefined unless the bytes
 * are audio that providers accept.
 */
async function detectAudio(bytes: Uint8Array): Promise<DetectedAudio | undefined> {
  if (bytes.length < VOICE_LIMITS.audioBytesMin) return undefined;
  // Loaded on demand: most installations never receive a recording.
  const { parseBuffer } = await import('music-metadata');
  const parseFormat = (part: Uint8Array) =>
    parseBuffer(part, undefined, { duration: true, skipCovers: true }).then(
      (found) => found.format,
      () => undefined,
    );
  const format = (await parseFormat(bytes)) ?? (await parseFormat(sliceHeader(bytes)));
  // Containers label audio as video and vice versa, so the tracks decide.
  if (!format?.hasAudio || format.hasVideo || !format.codec) return undefined;
  const match = CONTAINERS.find(([container]) => container.test(format.container ?? ''));
  if (!match) return undefined;
  const duration = format.duration;
  const isMeasured = duration !== undefined && Number.isFinite(duration) && duration > 0;
  const seconds = isMeasured
    ? Math.max(duration, computeMinSeconds(bytes.length, match[1].mime, format.bitrate))
    : 0;
  return { ...match[1], ...(isMeasured ? { seconds } : {}) };
}

/** Maximum bits per second: two uncompressed channels at 48 kHz with 32 bits, and the highest lossy encoding. */
const PLAIN_BITS_MAX = 3_072_000;
const CODED_BITS_MAX = 512_000;

/** Computes the shortest duration that the size allows, because the client states the duration and could lie. */
function computeMinSeconds(bytes: number, mime: string, declaredBits = PLAIN_BITS_MAX): number {
  if (mime === 'audio/wav') return Math.floor((bytes * 8) / Math.min(declaredBits, PLAIN_BITS_MAX));
  return Math.floor((bytes * 8) / (mime === 'audio/flac' ? PLAIN_BITS_MAX : CODED_BITS_MAX));
}

const CLUSTER = [0x1f, 0x43, 0xb6, 0x75];
const HEAD_BYTES_MAX = 4096;

/**
 * Returns the WebM header before the audio data. Browsers omit the length of that data, so the parser cannot skip it.
 */
function sliceHeader(bytes: Uint8Array): Uint8Array {
  const head = bytes.subarray(0, HEAD_BYTES_MAX);
  const end = head.findIndex((_, at) => CLUSTER.every((byte, offset) => head[at + offset] === byte));
  return head.subarray(0, Math.max(end, 0));
}
