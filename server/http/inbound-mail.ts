import { timingSafeEqual } from 'node:crypto';
import type { Express, Request } from 'express';
import { HANDOVER_LIMITS } from '../../contract/limits/handovers.ts';
import type { Log } from '../base/log.ts';
import { readJsonBody } from './body.ts';
import type { HttpRequestContext } from './context.ts';
import { throwApiError, unavailable } from './errors.ts';
import type { ResourceLimits } from './resource-limits.ts';

/** Stores a mail as the provider posts it, and tells what became of it. */
type ReceiveMail = (posted: unknown) => Promise<{ outcome: string; mail: string }>;

type Deps = {
  log: Log;
  resourceLimits: ResourceLimits;
  bodySilenceMillis: number;
  isShuttingDown: () => boolean;
};

/** Mounts `POST /mail/inbound`. The path is unknown to those without the password, whose mail is not read. */
export function mountInboundMail(
  app: Express,
  secret: string | undefined,
  receive: ReceiveMail,
  deps: Deps,
): void {
  app.post('/mail/inbound', async (request, response) => {
    const isProvider = secret !== undefined && hasPassword(request.ctx, secret);
    if (!isProvider) throwApiError('request/not_found', 'no password');
    if (deps.isShuttingDown()) throw unavailable('server/shutting_down');
    const { outcome, mail } = await receive(await readMail(request, deps));
    deps.log.info({ outcome, mail }, 'received a mail');
    response.json({ outcome });
  });
}

function hasPassword({ headers }: HttpRequestContext, secret: string): boolean {
  const [, encoded = ''] = /^Basic (\S+)$/i.exec(headers.authorization ?? '') ?? [];
  const credentials = Buffer.from(encoded, 'base64').toString();
  const received = Buffer.from(credentials.slice(credentials.indexOf(':') + 1));
  const expected = Buffer.from(secret);
  return received.length === expected.length && timingSafeEqual(received, expected);
}

const ATTACHMENTS = { member: 'Attachments', bytesMaxBeforeDrop: HANDOVER_LIMITS.inboundBytesMaxBeforeDrop };

async function readMail(request: Request, { resourceLimits, bodySilenceMillis }: Deps): Promise<unknown> {
  const { ctx } = request;
  const reservation = resourceLimits.open('body_bytes', ctx.owners);
  ctx.bodyReservation = reservation;
  const options = {
    acceptsText: false,
    bytesMax: HANDOVER_LIMITS.inboundBytesMax,
    droppableField: ATTACHMENTS,
  };
  const mail = await readJsonBody(request, options, { reservation, silenceMillis: bodySilenceMillis });
  reservation.release();
  return mail;
}
