import type { SpeechSettings } from '../settings/speech.ts';
import type { SpeakInput } from './speech.ts';
import { createUpstream, getLanguage, type SpeechProvider, streamMp3 } from './upstream.ts';

type Settings = NonNullable<SpeechSettings['c']>;
type Timeouts = Pick<SpeechSettings, 'timeoutMillis' | 'proxy'>;

/** Creates provider_c, which only speaks, with one of two drivers: the ElevenLabs API or the Cartesia API. */
export function createProviderC(settings: Settings, timeouts: Timeouts): SpeechProvider {
  return settings.driver === 'cartesia'
    ? createCartesia(settings, timeouts)
    : createElevenLabs(settings, timeouts);
}

function createElevenLabs(settings: Settings, { timeoutMillis, proxy }: Timeouts): SpeechProvider {
  const upstream = createUpstream({
    provider: 'provider_c',
    baseUrl: settings.baseUrl,
    headers: { 'xi-api-key': settings.key },
    timeoutMillis,
    proxy,
  });
  const supportsVoice = (voiceId: string) => /^[A-Za-z0-9]{20}$/.test(voiceId);
  return {
    speaker: {
      name: 'provider_c',
      supportsVoice,
      async speak({ text, voiceId = settings.voiceId }: SpeakInput, signal) {
        if (voiceId !== settings.voiceId && !supportsVoice(voiceId)) {
          throw upstream.failure('refused', 'has no voice with this id');
        }
        const path = `/v1/text-to-speech/${encodeURIComponent(voiceId)}/stream?output_format=mp3_44100_128`;
        const json = { text, model_id: settings.speechModel };
        return streamMp3(upstream, [{ path, json }], signal);
      },
    },
  };
}

const CARTESIA_VERSION = '2026-08-14';

function createCartesia(settings: Settings, { timeoutMillis, proxy }: Timeouts): SpeechProvider {
  const upstream = createUpstream({
    provider: 'provider_c',
    baseUrl: settings.baseUrl,
    headers: { authorization: `Bearer ${settings.key}`, 'cartesia-version': CARTESIA_VERSION },
    timeoutMillis,
    proxy,
  });
  const supportsVoice = (voiceId: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(voiceId);
  return {
    speaker: {
      name: 'provider_c',
      supportsVoice,
      async speak({ text, voiceId = settings.voiceId, locale }: SpeakInput, signal) {
        if (voiceId !== settings.voiceId && !supportsVoice(voiceId)) {
          throw upstream.failure('refused', 'has no voice with this id');
        }
        const language = getLanguage(locale);
        const json = {
          model_id: settings.speechModel,
          transcript: text,
          voice: voiceId,
          ...(language ? { language } : {}),
          output_format: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
        };
        return streamMp3(upstream, [{ path: '/tts/bytes', json }], signal);
      },
    },
  };
}
