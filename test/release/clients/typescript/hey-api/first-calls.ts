import { client } from './generated/client.gen.ts';
import { bootGuide, exportConversations, recordConsent, sendMessage } from './generated/sdk.gen.ts';

/** Boots, asks, and reads the stream and the export with the functions that hey-api generates. */

const env = (name: string) => process.env[`GUIDEPOST_${name}`]!;
const origin = env('ORIGIN');
client.setConfig({ baseUrl: env('URL') });

const { data: booted } = await bootGuide({
  body: { app_id: env('APP_ID'), origin, path: '/' },
  headers: { origin },
  throwOnError: true,
});

const headers = { origin, authorization: `Bearer ${booted.jwt}` };
const url = `${origin}/account`;
const { visitor_id, config } = booted;
const copy_version = config.consent.copy.version;
await recordConsent({
  body: { visitor_id, url, copy_version, at: Date.now(), decision: 'accepted' },
  headers,
  throwOnError: true,
});

const conversation_id = 'conv-hey-api';
const message = 'How do I reset my password?';
const { stream } = await sendMessage({
  body: { message, dom_digest: 'main > h1 Account', conversation_id, turn_idx: 0, url },
  headers,
});
let text = '';
let length = 0;
for await (const event of stream) {
  if (event.type === 'text_delta') text += event.delta;
  if (event.type === 'message_end') length = event.text_length;
}
if (length === 0 || [...text].length !== length) throw new Error(`the answer is incomplete: ${text}`);

const { data: page } = await exportConversations({
  query: { limit: 10 },
  headers: { 'x-api-key': env('API_KEY') },
  throwOnError: true,
});
if (!page.data.some(({ id }) => id === conversation_id)) throw new Error('the export lacks the conversation');

console.log('an iterator of typed events');
