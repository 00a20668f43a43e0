import { z } from 'zod';

/** Who can be asked for voice, kind by kind. A workspace says who its visitors ask first; the rest stand in for them. */

const TOKEN_PROVIDERS = ['provider_a', 'provider_b', 'provider_b-batch', 'mock'] as const;
const TRANSCRIBE_PROVIDERS = ['provider_a', 'provider_b'] as const;
const SPEECH_PROVIDERS = ['provider_a', 'provider_b', 'provider_c', 'mock'] as const;

export const tokenProvider = z.enum([...TOKEN_PROVIDERS, 'auto']).meta({
  id: 'VoiceTokenProvider',
  description:
    "Whom to ask for a token; `auto` takes the workspace's own choice, else the first of provider_a and provider_b that answers.",
});

export const speechProvider = z.enum([...SPEECH_PROVIDERS, 'auto']).meta({
  id: 'SpeechProvider',
  description:
    "Who speaks; `auto` takes the workspace's own choice, else the first of provider_c, provider_b and provider_a that answers.",
});

const FIRST = 'asked before all others, who stand in when it fails; `mock` is asked alone.';

const ownTokenProvider = z.enum(TOKEN_PROVIDERS).meta({
  id: 'TenantTokenProvider',
  description: `Who makes tokens where a request names nobody: ${FIRST}`,
});
const ownTranscribeProvider = z.enum(TRANSCRIBE_PROVIDERS).meta({
  id: 'TenantTranscribeProvider',
  description: 'Who transcribes recordings: asked before all others, who stand in when it fails.',
});
const ownSpeechProvider = z.enum(SPEECH_PROVIDERS).meta({
  id: 'TenantSpeechProvider',
  description: `Who speaks where a request names nobody: ${FIRST}`,
});

const chosenTranscribeProvider = z.enum([...TRANSCRIBE_PROVIDERS, 'auto']).meta({
  id: 'TranscribeProvider',
  description: "Who transcribes recordings; `auto` for the service's own order.",
});

/** Whom a workspace asks first. */
export const ownProviders = {
  tokenProvider: ownTokenProvider
    .optional()
    .describe(
      "Who is asked first for a token where a request names nobody; absent: the service's own order.",
    ),
  transcribeProvider: ownTranscribeProvider
    .optional()
    .describe("Who is asked first to transcribe a recording; absent: the service's own order."),
  speechProvider: ownSpeechProvider
    .optional()
    .describe("Who is asked first to speak where a request names nobody; absent: the service's own order."),
};

/** The same to change: an enum cannot be null, so that `auto` takes a choice back. */
export const chosenProviders = {
  tokenProvider: tokenProvider
    .optional()
    .describe("Who is asked first for a token; `auto` for the service's own order."),
  transcribeProvider: chosenTranscribeProvider
    .optional()
    .describe("Who is asked first to transcribe a recording; `auto` for the service's own order."),
  speechProvider: speechProvider
    .optional()
    .describe("Who is asked first to speak; `auto` for the service's own order."),
};
