import type { Messages } from './messages/en.ts';

/** Keys of texts are checked against the English catalogue. */
declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages;
  }
}
