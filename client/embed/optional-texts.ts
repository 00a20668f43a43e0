/**
 * The texts that only one file loaded on demand needs, by the name of that file. The build writes them into separate
 * files, such as `de-voice.js`.
 */
export const OPTIONAL_TEXTS = {
  actions: ['show', 'shown', 'missing', 'expired', 'notNow', 'notDone'],
  handover: [
    'yourMessage',
    'yourName',
    'yourEmail',
    'sendConversation',
    'whatIsSent',
    'expectedAnswer',
    'messageSent',
    'teamAnswered',
  ],
  help: ['searchArticles', 'noArticles', 'articlesFound', 'askGuide', 'askAbout', 'more', 'goBack'],
  'rating-form': ['whatWrong', 'incorrect', 'outdated', 'offTopic', 'comment'],
  voice: [
    'stopListening',
    'listening',
    'heard',
    'nothingHeard',
    'noMicrophone',
    'noVoice',
    'voiceFailed',
    'byBrowser',
    'stopReading',
  ],
} as const;

/** The texts of the launcher, which the panel has too. They are in files such as `de-launcher.js`. */
export const LAUNCHER_TEXTS = ['guide', 'open'] as const;
