import { z } from 'zod';
import { chosenProviders, ownProviders } from './voice-providers.ts';

/** Voice among the settings of a workspace. */

const voiceEnabled = z.boolean().describe('Whether visitors may speak and listen.');
const monthlySecondsMax = z
  .int32()
  .min(0)
  .max(100_000_000)
  .describe("How many seconds of speech a calendar month of the workspace's time zone may hold.")
  .meta({ example: 3600 });
const timeZone = z
  .string()
  .min(1)
  .max(64)
  .describe(
    "The time zone that months are counted in, voice seconds and a language model's tokens alike; its IANA name.",
  )
  .meta({ example: 'Europe/Berlin' });
const voiceId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-~]+$/)
  .describe('The voice that speaks when a request names none.')
  .meta({ example: 'alloy' });

export const tenantVoice = z
  .strictObject({
    enabled: voiceEnabled,
    monthlySecondsMax,
    timeZone,
    voiceId: voiceId
      .optional()
      .describe("The voice that speaks when a request names none; absent: the provider's own."),
    ...ownProviders,
  })
  .meta({ id: 'TenantVoice', description: 'Voice in a workspace, and how much of it.' });

export const tenantVoiceChange = z
  .strictObject({
    enabled: voiceEnabled.optional(),
    monthlySecondsMax: monthlySecondsMax.optional(),
    timeZone: timeZone.optional(),
    voiceId: voiceId
      .nullable()
      .optional()
      .describe("The voice that speaks when a request names none; null for the provider's own."),
    ...chosenProviders,
  })
  .meta({ id: 'TenantVoiceChange', description: 'What to change about voice; the rest stays.' });
