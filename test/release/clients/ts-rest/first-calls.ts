import { initClient } from '@ts-rest/core';
import { contract } from '../../../../contract/index.ts';

/** Boots, asks, and reads the stream and the export with ts-rest's own client: no code is generated. */

const env = (name: string) => process.env[`GUIDEPOST_${name}`]!;
const baseUrl = env('URL');
const origin = env('ORIGIN');

const { boot } = initClient(contract, { baseUrl, baseHeaders: { origin } });
const booted = await boot.boot({ body: { app_id: env('APP_ID'), origin, path: '/' } });
if (booted.status !== 200) throw new Error(booted.body.error);
const { jwt, visitor_id, config } = booted.body;

const visitor = initClient(contract, { baseUrl, baseHeaders: { origin, authorization: `Bearer ${jwt}` } });
const url = `${origin}/account`;
const copy_version = config.consent.copy.version;
const decided = await visitor.consent.recordConsent({
  body: { visitor_id, url, copy_version, at: Date.now(), decision: 'accepted' },
});
if (decided.status !== 200) throw new Error(decided.body.error);

const conversation_id = 'conv-ts-rest';
const message = 'How do I reset my password?';
const answer = await visitor.chat.sendMessage({
  body: { message, dom_digest: 'main > h1 Account', conversation_id, turn_idx: 0, url },
});
if (answer.status !== 200) throw new Error(answer.body.error);
if (!answer.body.includes('event: message_end')) throw new Error(answer.body);

const program = initClient(contract, { baseUrl, baseHeaders: { 'x-api-key': env('API_KEY') } });
const page = await program.export.exportConversations({ query: { limit: '10' } });
if (page.status !== 200) throw new Error(page.body.error);
if (!page.body.data.some(({ id }) => id === conversation_id))
  throw new Error('the export lacks the conversation');

console.log('the whole stream, a string');
