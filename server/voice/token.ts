import { hash } from 'node:crypto';
import type { voice } from '../../contract/voice.ts';
import { throwApiError } from '../http/errors.ts';
import type { HandlerInput, ResponseOf } from '../http/handler.ts';
import { parseAcceptLanguage } from '../knowledge/locale.ts';
import { getCalendarMonth } from '../month.ts';
import type { MintedToken, SpeechProviderName, TokenKind, TokenMinter } from '../speech/speech.ts';
import { grantSession, refuseAtCap, sessionOnceMinted } from './cap.ts';
import { askedOf, firstAnswer, isMock } from './provider-order.ts';
import { holdSeconds, release, type VoiceDeps } from './reservations.ts';

type TokenAsked = HandlerInput<typeof voice.getTranscribeToken>;
type TokenReply = ResponseOf<typeof voice.getTranscribeToken>;

const UPLOADS = 'provider_b-batch';

/** Seconds are set aside before a provider is asked, so that no token exists that nobody has reckoned with. */
export async function mintToken(deps: VoiceDeps, input: TokenAsked): Promise<TokenReply> {
  const { voice: settings } = input.caller.workspace.settings;
  const { kind, order } = mintsOf(
    deps.speech.minters,
    input.query.provider ?? 'auto',
    settings.tokenProvider,
  );
  const mint = () => firstAnswer(order, (one) => one.mint({ kind, ...localeOf(input) }, input.ctx.signal));

  if (isMock(order)) return tokenReply(await mint(), 0);
  if (kind === 'batch') {
    await requireRoom(deps, input);
    return tokenReply(await mint(), 0);
  }
  const provider = order[0]!.name;
  const hold = await holdSeconds(deps, input, { kind, provider }, (counted, now) =>
    grantSession(counted, settings, now),
  );
  try {
    const minted = await mint();
    // Nobody has received it who could use it.
    if (input.ctx.signal.aborted) return throwApiError('voice/provider_failed', 'the caller has hung up');
    const { token, expiresAt } = minted.answer;
    const marked = await deps.store.in(input.caller.workspace.id).voiceReservations.mark(hold.id, {
      ...sessionOnceMinted(hold, expiresAt),
      provider: minted.by.name,
      tokenHash: hashOfToken(token),
    });
    if (!marked) return throwApiError('voice/provider_failed', 'what was set aside has expired');
    return tokenReply(minted, hold.seconds);
  } catch (error) {
    await release(deps, input, hold);
    throw error;
  }
}

type Mints = { readonly kind: TokenKind; readonly order: readonly TokenMinter[] };

/** Who is asked for which kind of token. A workspace that chose uploads has live sessions where nobody takes them. */
function mintsOf(minting: readonly TokenMinter[], wanted: string, own: string | undefined): Mints {
  const of = (kind: TokenKind) => minting.filter(({ kinds }) => kinds.includes(kind));
  const uploads: Mints = { kind: 'batch', order: askedOf(of('batch'), 'provider_b') };
  if (wanted === UPLOADS || (wanted === 'auto' && own === UPLOADS && !isMock(uploads.order))) return uploads;
  return { kind: 'realtime', order: askedOf(of('realtime'), wanted, own) };
}

/** A hold is found by what a report names, without anybody keeping what opens a session. */
export function hashOfToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

/** A recording sets its own seconds aside when it comes; here it is only told early that there are none. */
async function requireRoom({ store, clock, onCap }: VoiceDeps, { caller }: TokenAsked): Promise<void> {
  const { id: workspaceId, settings } = caller.workspace;
  const month = getCalendarMonth(clock.now(), settings.voice.timeZone);
  const counted = await store.in(workspaceId).voiceReservations.counted(month.period);
  if (counted < settings.voice.monthlySecondsMax) return;
  onCap({ workspaceId, visitorId: caller.visitorId });
  refuseAtCap(clock.now(), month);
}

function localeOf({ ctx }: TokenAsked): { locale?: string } {
  const [locale] = parseAcceptLanguage(ctx.headers['accept-language']).wanted;
  return locale === undefined ? {} : { locale };
}

function tokenReply(
  { by, answer }: { readonly by: TokenMinter; readonly answer: MintedToken },
  reservedSeconds: number,
): TokenReply {
  const { token, expiresAt, mode, transport, url } = answer;
  return {
    status: 200,
    body: {
      token,
      provider: issuerOf(by.name),
      expires_at: Math.floor(expiresAt / 1000),
      mode,
      transport,
      reserved_seconds: reservedSeconds,
      ...(url === undefined ? {} : { url }),
    },
  };
}

function issuerOf(name: SpeechProviderName): 'provider_a' | 'provider_b' | 'mock' {
  if (name === 'provider_c') throw new Error('provider_c makes no tokens');
  return name;
}
