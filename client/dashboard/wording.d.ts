import type { Messages } from './locales/en.ts';

/** Keys of texts are checked against the English catalogue. */
declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages;
  }
}
