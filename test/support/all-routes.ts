import { type Harness, openHarness } from './harness.ts';
import { defaultSpeech } from './voice-service.ts';

/** Opens a service in which every route can succeed: speech, handovers and mail are on. No server takes the mails. */
export const openForAllRoutes = (): Promise<Harness> =>
  openHarness({
    speech: defaultSpeech(),
    settings: { handover: { mode: 'when_needed' } },
    env: { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'guide@shop.example' },
  });
