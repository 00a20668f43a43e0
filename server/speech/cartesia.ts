import type { SpeechSettings } from '../speech-settings.ts';
import { languageOf } from './language.ts';
import type { SpeechAsk } from './speech.ts';
import type { SpeechParts } from './speech-parts.ts';
import { spokenAudio } from './spoken-audio.ts';
import { createUpstream } from './upstream.ts';

const VERSION = '2026-08-14';

/** The other driver of provider_c, which speaks the Cartesia API. */
export function createCartesia(
  settings: NonNullable<SpeechSettings['c']>,
  times: Pick<SpeechSettings, 'timeoutMillis'>,
): SpeechParts {
  const upstream = createUpstream({
    provider: 'provider_c',
    baseUrl: settings.baseUrl,
    headers: { authorization: `Bearer ${settings.key}`, 'cartesia-version': VERSION },
    timeoutMillis: times.timeoutMillis,
  });
  return {
    speaking: {
      name: 'provider_c',
      canBeVoice,
      async speak({ text, voiceId = settings.voiceId, locale }: SpeechAsk, signal) {
        if (voiceId !== settings.voiceId && !canBeVoice(voiceId)) {
          throw upstream.failure('refused', 'has no voice with such an id');
        }
        const language = languageOf(locale);
        const json = {
          model_id: settings.speechModel,
          transcript: text,
          voice: voiceId,
          ...(language ? { language } : {}),
          output_format: { container: 'mp3', sample_rate: 44_100, bit_rate: 128_000 },
        };
        return spokenAudio(upstream, [{ path: '/tts/bytes', json }], signal);
      },
    },
  };
}

function canBeVoice(voiceId: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(voiceId);
}
