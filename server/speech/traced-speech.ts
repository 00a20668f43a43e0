import type { Telemetry } from '../telemetry/telemetry.ts';
import { type Speech, SpeechFailure, type SpeechOperation, type SpeechProviderName } from './speech.ts';

/** Records a span per call to a provider, without text and audio. The span of `speak` ends with the first bytes. */
export function traceSpeech(speech: Speech, telemetry: Telemetry): Speech {
  const trace =
    <Input, Output>(
      provider: SpeechProviderName,
      operation: SpeechOperation,
      run: (input: Input, signal: AbortSignal) => Promise<Output>,
    ) =>
    async (input: Input, signal: AbortSignal): Promise<Output> => {
      const span = telemetry.startSpan(`${operation} ${provider}`, {
        kind: 'client',
        attributes: { 'guidepost.speech.operation': operation, 'guidepost.speech.provider': provider },
      });
      try {
        return await run(input, signal);
      } catch (error) {
        span.fail(error instanceof SpeechFailure ? error.kind : 'internal');
        throw error;
      } finally {
        span.end();
      }
    };

  return {
    minters: speech.minters.map((each) => ({ ...each, mint: trace(each.name, 'token', each.mint) })),
    transcribers: speech.transcribers.map((each) => ({
      ...each,
      transcribe: trace(each.name, 'transcribe', each.transcribe),
    })),
    speakers: speech.speakers.map((each) => ({ ...each, speak: trace(each.name, 'speak', each.speak) })),
  };
}
