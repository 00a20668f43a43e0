import { z } from 'zod';
import { chosenProviders, ownProviders } from './voice-providers.ts';

const voiceEnabled = z.boolean().describe('Whether voice is on.');
const monthlySecondsMax = z
  .int32()
  .min(0)
  .max(100_000_000)
  .describe('Maximum seconds of speech per calendar month.')
  .meta({ example: 3600 });
const timeZone = z
  .string()
  .min(1)
  .max(64)
  .describe('IANA time zone for monthly caps, of both voice and tokens.')
  .meta({ example: 'Europe/Berlin' });
const voiceId = z
  .string()
  .min(1)
  .max(128)
  .regex(/^[!-~]+$/)
  .describe('Default voice.')
  .meta({ example: 'alloy' });

export const tenantVoice = z
  .strictObject({
    enabled: voiceEnabled,
    monthlySecondsMax,
    timeZone,
    voiceId: voiceId.optional().describe("Default voice. If absent, the provider's default is used."),
    ...ownProviders,
  })
  .meta({ id: 'TenantVoice', description: 'Voice settings of a workspace.' });

export const tenantVoiceChange = z
  .strictObject({
    enabled: voiceEnabled.optional(),
    monthlySecondsMax: monthlySecondsMax.optional(),
    timeZone: timeZone.optional(),
    voiceId: voiceId.nullable().optional().describe("Default voice, or `null` for the provider's default."),
    ...chosenProviders,
  })
  .meta({
    id: 'TenantVoiceChange',
    description: 'Changes to the voice settings. Omitted fields stay unchanged.',
  });
