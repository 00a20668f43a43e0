/**
 * The texts that only a file loaded on demand needs, by its name. The build writes them into files of their own, such as
 * `de-voice.js`.
 */
export const OPTIONAL_TEXTS = {
  actions: ['show', 'shown', 'missing', 'expired', 'notNow', 'notDone'],
  reasons: ['whatWrong', 'incorrect', 'outdated', 'offTopic', 'comment'],
  voice: [
    'speak',
    'stopListening',
    'listening',
    'heard',
    'nothingHeard',
    'noMicrophone',
    'noVoice',
    'voiceFailed',
    'byBrowser',
    'readAloud',
    'stopReading',
  ],
} as const;
