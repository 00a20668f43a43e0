import { hash } from 'node:crypto';
import type { voice } from '../../contract/voice.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import { parseAcceptLanguage } from '../knowledge/locale.ts';
import { getCalendarMonth } from '../month.ts';
import type { MintedToken, SpeechProviderName, TokenKind, TokenMinter } from '../speech/speech.ts';
import { activateSession, clampSessionSeconds, grantSession, throwCapExceeded } from './cap.ts';
import { callFirstAvailable, isMockOnly, selectProviders } from './provider-order.ts';
import { releaseReservation, reserveSeconds, settleReservation, type VoiceDeps } from './reservations.ts';

type TokenInput = HandlerInput<typeof voice.getTranscribeToken>;
type TokenResponse = ResponseOf<typeof voice.getTranscribeToken>;

const UPLOADS = 'provider_b-batch';

/** Reserves seconds before calling a provider, so every token is accounted for. */
export async function mintToken(deps: VoiceDeps, input: TokenInput): Promise<TokenResponse> {
  const { voice: settings } = input.caller.workspace.settings;
  const { kind, order } = selectMinters(
    deps.speech.minters,
    input.query.provider ?? 'auto',
    settings.tokenProvider,
  );
  const mint = () =>
    callFirstAvailable(order, (one) => one.mint({ kind, ...getLocaleParam(input) }, input.ctx.signal));

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
    // The client never received the token.
    if (input.ctx.signal.aborted) return throwApiError('voice/provider_failed', 'the caller disconnected');
    const { token, expiresAt } = minted.answer;
    const markSynthetic = await deps.store
      .in(input.caller.workspace.id)
      .voiceReservations.mark(reservation.id, {
        ...activateSession(reservation, expiresAt),
        provider: minted.by.name,
        tokenHash: hashToken(token),
      });
    if (!markSynthetic) return throwApiError('voice/provider_failed', 'the reservation has expired');
    return toTokenResponse(minted, reservation.seconds);
  } catch (error) {
    await releaseReservation(deps, input, reservation);
    throw error;
  }
}

type MinterSelection = { readonly kind: TokenKind; readonly order: readonly TokenMinter[] };

/**
 * Selects the kind of token and its providers. A workspace that chose uploads gets live sessions
 * when provider_b is not configured.
 */
function selectMinters(
  minters: readonly TokenMinter[],
  wanted: string,
  own: string | undefined,
): MinterSelection {
  const of = (kind: TokenKind) => minters.filter(({ kinds }) => kinds.includes(kind));
  const uploads: MinterSelection = { kind: 'batch', order: selectProviders(of('batch'), 'provider_b') };
  if (wanted === UPLOADS || (wanted === 'auto' && own === UPLOADS && !isMockOnly(uploads.order)))
    return uploads;
  return { kind: 'realtime', order: selectProviders(of('realtime'), wanted, own) };
}

/** Reports are matched by hash, so the token itself is never stored. */
function hashToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** Each recording makes its own reservation; this only fails early when the cap is reached. */
async function assertBelowCap({ store, clock, onCap }: VoiceDeps, { caller }: TokenInput): Promise<void> {
  const { id: workspaceId, settings } = caller.workspace;
  const month = getCalendarMonth(clock.now(), settings.voice.timeZone);
  const counted = await store.in(workspaceId).voiceReservations.counted(month.period);
  if (counted < settings.voice.monthlySecondsMax) return;
  onCap({ workspaceId, visitorId: caller.visitorId });
  throwCapExceeded(clock.now(), month);
}

function getLocaleParam({ ctx }: TokenInput): { locale?: string } {
  const [locale] = parseAcceptLanguage(ctx.headers['accept-language']).wanted;
  return locale === undefined ? {} : { locale };
}

function toTokenResponse(
  { by, answer }: { readonly by: TokenMinter; readonly answer: MintedToken },
  reservedSeconds: number,
): TokenResponse {
  const { token, expiresAt, mode, transport, url } = answer;
  return {
    status: 200,
    body: {
      token,
      provider: toIssuer(by.name),
      expires_at: Math.floor(expiresAt / 1000),
      mode,
      transport,
      reserved_seconds: reservedSeconds,
      ...(url === undefined ? {} : { url }),
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
export async function reportUsage(
  deps: VoiceDeps,
  input: HandlerInput<typeof voice.reportVoiceUsage>,
): Promise<ResponseOf<typeof voice.reportVoiceUsage>> {
  const { body, caller } = input;
  const reservation = await deps.store
    .in(caller.workspace.id)
    .voiceReservations.findByToken(hashToken(body.token));
  if (reservation?.visitorId !== caller.visitorId) return toUsageResponse(undefined);
  const { provider } = reservation;
  const seconds = clampSessionSeconds(body.elapsed_seconds, reservation, deps.clock.now());
  return toUsageResponse(
    await settleReservation(deps, input, reservation, { provider, outcome: 'finished', seconds }),
  );
}

function toUsageResponse(charged: number | undefined): ResponseOf<typeof voice.reportVoiceUsage> {
  return { status: 200, body: { recorded: charged !== undefined, charged_seconds: charged ?? 0 } };
}
