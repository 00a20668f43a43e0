import type { voice } from '../../contract/voice.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, VisitorCaller } from '../http/handler.ts';
import type { VoiceDeps } from './reservations.ts';
import { speak } from './speak.ts';
import { mintToken } from './token.ts';
import { transcribe } from './transcribe.ts';
import { reportUsage } from './usage.ts';

export function voiceHandlers(deps: VoiceDeps): Handlers<typeof voice> {
  return {
    async getTranscribeToken(asked) {
      requireVoice(asked.caller);
      return mintToken(deps, asked);
    },
    async transcribeAudio(asked) {
      requireVoice(asked.caller);
      return transcribe(deps, asked);
    },
    async speakText(asked) {
      requireVoice(asked.caller);
      return speak(deps, asked);
    },
    // What was begun before voice was switched off is settled all the same.
    reportVoiceUsage: (asked) => reportUsage(deps, asked),
  };
}

function requireVoice({ workspace }: VisitorCaller): void {
  if (!workspace.settings.voice.enabled) throwApiError('voice/disabled');
}
