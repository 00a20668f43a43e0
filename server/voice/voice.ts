import type { voice } from '../../contract/voice.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, VisitorCaller } from '../http/handler.ts';
import type { VoiceDeps } from './reservations.ts';
import { speak } from './speak.ts';
import { mintToken, reportUsage } from './token.ts';
import { transcribe } from './transcribe.ts';

export function voiceHandlers(deps: VoiceDeps): Handlers<typeof voice> {
  return {
    async getTranscribeToken(input) {
      requireVoice(input.caller);
      return mintToken(deps, input);
    },
    async transcribeAudio(input) {
      requireVoice(input.caller);
      return transcribe(deps, input);
    },
    async speakText(input) {
      requireVoice(input.caller);
      return speak(deps, input);
    },
    // Sessions that began before voice was disabled can still be reported.
    reportVoiceUsage: (input) => reportUsage(deps, input),
  };
}

function requireVoice({ workspace }: VisitorCaller): void {
  if (!workspace.settings.voice.enabled) throwApiError('voice/disabled');
}
