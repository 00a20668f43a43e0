import { z } from 'zod';

/** Speech providers by kind. A workspace chooses the preferred ones; the others are fallbacks. */

const TOKEN_PROVIDERS = ['provider_a', 'provider_b', 'provider_b-batch', 'mock'] as const;
const TRANSCRIBE_PROVIDERS = ['provider_a', 'provider_b'] as const;
const SPEECH_PROVIDERS = ['provider_a', 'provider_b', 'provider_c', 'mock'] as const;

export const tokenProvider = z.enum([...TOKEN_PROVIDERS, 'auto']).meta({
  id: 'VoiceTokenProvider',
  description:
    "Provider of the token. `auto` uses the workspace's choice, else the first available of " +
    'provider_a and provider_b.',
});

export const speechProvider = z.enum([...SPEECH_PROVIDERS, 'auto']).meta({
  id: 'SpeechProvider',
  description:
    "Speech provider. `auto` uses the workspace's choice, else the first available of provider_c, " +
    'provider_b and provider_a.',
});

const FIRST = 'used before the others, which are fallbacks. `mock` has no fallback.';

const ownTokenProvider = z.enum(TOKEN_PROVIDERS).meta({
  id: 'TenantTokenProvider',
  description: `Preferred provider for tokens, ${FIRST}`,
});
const ownTranscribeProvider = z.enum(TRANSCRIBE_PROVIDERS).meta({
  id: 'TenantTranscribeProvider',
  description: 'Preferred provider for recordings. The others are used if it fails.',
});
const ownSpeechProvider = z.enum(SPEECH_PROVIDERS).meta({
  id: 'TenantSpeechProvider',
  description: `Preferred provider for speech, ${FIRST}`,
});

const chosenTranscribeProvider = z.enum([...TRANSCRIBE_PROVIDERS, 'auto']).meta({
  id: 'TranscribeProvider',
  description: 'Preferred provider for recordings, or `auto` for the default order.',
});

/** The preferred providers of a workspace. */
export const ownProviders = {
  tokenProvider: ownTokenProvider
    .optional()
    .describe('Preferred provider for tokens. If absent, the default order applies.'),
  transcribeProvider: ownTranscribeProvider
    .optional()
    .describe('Preferred provider for recordings. If absent, the default order applies.'),
  speechProvider: ownSpeechProvider
    .optional()
    .describe('Preferred provider for speech. If absent, the default order applies.'),
};

/** For changes: an enum cannot be null, so `auto` resets a choice. */
export const chosenProviders = {
  tokenProvider: tokenProvider
    .optional()
    .describe('Preferred provider for tokens, or `auto` for the default order.'),
  transcribeProvider: chosenTranscribeProvider
    .optional()
    .describe('Preferred provider for recordings, or `auto` for the default order.'),
  speechProvider: speechProvider
    .optional()
    .describe('Preferred provider for speech, or `auto` for the default order.'),
};
