import { z } from 'zod';
import { moment } from './fields.ts';

/** What a workspace has used up of its months. */

const period = z
  .string()
  .max(7)
  .regex(/^\d{4}-\d{2}$/)
  .describe('The calendar month that is counted, as year and month.')
  .meta({ example: '2026-11' });

const amount = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ example: 1250 });

const startsAt = moment.describe("When the month began, by the workspace's own time zone.");

const voiceUsage = z
  .strictObject({
    period,
    usedSeconds: amount.describe(
      'Seconds of speech that the month has counted, with those set aside at the moment.',
    ),
    heldSeconds: amount.describe(
      'How many of these are set aside for sessions, recordings and speech that have not ended yet.',
    ),
    monthlySecondsMax: amount.describe('How many seconds the month may hold.'),
    startsAt,
    endsAt: moment.describe("When the month ends, by the workspace's own time zone."),
  })
  .meta({
    id: 'TenantVoiceUsage',
    description: 'How much of its voice cap a workspace has used this month.',
  });

const tokenUsage = z
  .strictObject({
    period,
    usedTokens: amount.describe(
      'Tokens of a language model that the month has counted, with those set aside at the moment.',
    ),
    monthlyTokensMax: amount
      .optional()
      .describe('How many tokens the month may hold; absent: as many as are needed.'),
    startsAt,
    endsAt: moment.describe("When the month ends, by the workspace's own time zone."),
  })
  .meta({ id: 'TenantTokenUsage', description: 'How many tokens a workspace has used this month.' });

export const usage = z
  .strictObject({
    voice: voiceUsage.describe('Speech, where voice is switched on.'),
    tokens: tokenUsage.describe('A language model, where the operator has set one up.'),
    engine: z
      .string()
      .max(64)
      .describe('What answers visitors: `extractive` quotes articles, `llm` writes with a language model.')
      .meta({ example: 'extractive' }),
  })
  .meta({ id: 'TenantUsage', description: 'What a workspace has used up this month.' });
