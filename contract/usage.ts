import { z } from 'zod';
import { moment } from './fields.ts';

const period = z
  .string()
  .max(7)
  .regex(/^\d{4}-\d{2}$/)
  .describe('The calendar month, as year and month.')
  .meta({ example: '2026-11' });

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 1250 });

const startsAt = moment.describe("Start of the month in the workspace's time zone.");

const voiceUsage = z
  .strictObject({
    period,
    usedSeconds: amount.describe('Seconds of speech used this month, including reservations.'),
    heldSeconds: amount.describe('Seconds reserved for sessions, recordings and speech in progress.'),
    monthlySecondsMax: amount.describe('Monthly cap, in seconds.'),
    startsAt,
    endsAt: moment.describe("End of the month in the workspace's time zone."),
  })
  .meta({
    id: 'TenantVoiceUsage',
    description: 'Voice usage of the current month.',
  });

const tokenUsage = z
  .strictObject({
    period,
    usedTokens: amount.describe('Tokens used this month, including reservations.'),
    monthlyTokensMax: amount.optional().describe('Monthly cap, in tokens. Absent if there is none.'),
    startsAt,
    endsAt: moment.describe("End of the month in the workspace's time zone."),
  })
  .meta({ id: 'TenantTokenUsage', description: 'Token usage of the current month.' });

export const usage = z
  .strictObject({
    voice: voiceUsage.describe('Voice usage. Absent if voice is off.'),
    tokens: tokenUsage.describe('Token usage. Absent without a language model.'),
    engine: z
      .string()
      .max(64)
      .describe('The engine: `extractive` quotes articles, `llm` uses a language model.')
      .meta({ example: 'extractive' }),
  })
  .meta({ id: 'TenantUsage', description: 'Usage of the current month.' });
