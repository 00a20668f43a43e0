import type { voice } from '../../contract/voice.ts';
import type { Handlers, VisitorCaller } from '../http/handler.ts';
import { refuse } from '../refuse.ts';
import type { VoiceNeeds } from './holding.ts';
import { speak } from './speak.ts';
import { mintToken } from './token.ts';
import { transcribe } from './transcribe.ts';
import { reportUsage } from './usage.ts';

export function voiceHandlers(needs: VoiceNeeds): Handlers<typeof voice> {
  return {
    async getTranscribeToken(asked) {
      requireVoice(asked.caller);
      return mintToken(needs, asked);
    },
    async transcribeAudio(asked) {
      requireVoice(asked.caller);
      return transcribe(needs, asked);
    },
    async speakText(asked) {
      requireVoice(asked.caller);
      return speak(needs, asked);
    },
    // What was begun before voice was switched off is settled all the same.
    reportVoiceUsage: (asked) => reportUsage(needs, asked),
  };
}

function requireVoice({ workspace }: VisitorCaller): void {
  if (!workspace.settings.voice.enabled) refuse('voice/disabled');
}
