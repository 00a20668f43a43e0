import type { SpeechSettings } from '../speech-settings.ts';
import type { SpeechAsk } from './speech.ts';
import type { SpeechParts } from './speech-parts.ts';
import { spokenAudio } from './spoken-audio.ts';
import { createUpstream } from './upstream.ts';

/** provider_c speaks the ElevenLabs API; cartesia.ts is its other driver. */
export function createProviderC(
  settings: NonNullable<SpeechSettings['c']>,
  times: Pick<SpeechSettings, 'timeoutMillis'>,
): SpeechParts {
  const upstream = createUpstream({
    provider: 'provider_c',
    baseUrl: settings.baseUrl,
    headers: { 'xi-api-key': settings.key },
    timeoutMillis: times.timeoutMillis,
  });
  return {
    speaking: {
      name: 'provider_c',
      canBeVoice,
      async speak({ text, voiceId = settings.voiceId }: SpeechAsk, signal) {
        if (voiceId !== settings.voiceId && !canBeVoice(voiceId)) {
          throw upstream.failure('refused', 'has no voice with such an id');
        }
        const path = `/v1/text-to-speech/${encodeURIComponent(voiceId)}/stream?output_format=mp3_44100_128`;
        const json = { text, model_id: settings.speechModel };
        return spokenAudio(upstream, [{ path, json }], signal);
      },
    },
  };
}

function canBeVoice(voiceId: string): boolean {
  return /^[A-Za-z0-9]{20}$/.test(voiceId);
}
