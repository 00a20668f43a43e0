import { receive } from './receive.ts';
import { createZendesk } from './zendesk.ts';

/** Connects Zendesk: `node start.ts`, behind a proxy with https. For another desk, replace its line. */

const read = (name: string) => process.env[name] ?? '';
const desk = createZendesk({
  url: read('ZENDESK_URL'),
  email: read('ZENDESK_EMAIL'),
  apiToken: read('ZENDESK_API_TOKEN'),
});
receive(read('WEBHOOK_SECRET'), desk).listen(Number(read('PORT') || 8080));
