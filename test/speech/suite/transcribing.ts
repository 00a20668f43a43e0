import { describe, expect, it } from 'vitest';
import type { RecordedAudio, Transcript } from '../../../server/speech/speech.ts';
import type { Subject } from '../speech.suite.ts';
import { describeTroubles, unaborted } from './troubles.ts';

const bytes = Buffer.from('the bytes of a recording');
const recording: RecordedAudio = {
  bytes,
  mime: 'audio/webm',
  extension: 'webm',
};

export function describeTranscribing(subject: () => Subject): void {
  describe('a transcript', () => {
    it('says what was heard, by which model, and how long it took to say', async () => {
      const transcript = await transcribe(subject(), unaborted());
      expect(transcript.text.toLowerCase()).toContain('reset my password');
      expect(transcript.model).not.toBe('');
      expect(transcript.seconds).toBeGreaterThan(0);
    });

    it('is made of the recording as it is', async () => {
      await transcribe(subject(), unaborted());
      expect(subject().fake!.seen[0]!.body.includes(bytes)).toBe(true);
    });

    it.each(['audio/mp4', 'application/json', 'text/plain\r\nx-evil: 1'])(
      'is asked for by what was found: %s',
      async (mime) => {
        const asked = subject().speech.transcribing[0]!.transcribe({ ...recording, mime }, unaborted());
        expect((await asked).text).not.toBe('');
        expect(subject().fake!.seen[0]!.headers['x-evil']).toBeUndefined();
      },
    );

    it('is asked for in the language that is given', async () => {
      await subject().speech.transcribing[0]!.transcribe({ ...recording, locale: 'de-CH' }, unaborted());
      const { query, body } = subject().fake!.seen[0]!;
      expect(query.get('language') === 'de' || /languages?(\[\])?"\r\n\r\nde\r\n/.test(body.toString())).toBe(
        true,
      );
    });

    describeTroubles(subject, transcribe, [
      ['cut', 'upstream'],
      ['stalls', 'timeout'],
    ]);
  });
}

function transcribe({ speech }: Subject, signal: AbortSignal): Promise<Transcript> {
  return speech.transcribing[0]!.transcribe(recording, signal);
}
