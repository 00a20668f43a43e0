import { readFileSync } from 'node:fs';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { analyticsReport } from '../../contract/analytics.ts';
import type { archiveLine } from '../../contract/archive-line.ts';
import type { article, articleEdit, articles } from '../../contract/articles.ts';
import type { bootReply, bootRequest } from '../../contract/boot.ts';
import type { captureContext, chatRequest, conversation } from '../../contract/chat.ts';
import type { chatEvent } from '../../contract/chat-event.ts';
import type { consentRequest } from '../../contract/consent.ts';
import { ERROR_CODES, type ErrorBody } from '../../contract/errors.ts';
import type { exportedTranscript } from '../../contract/export.ts';
import type { exportedEvent } from '../../contract/export-events.ts';
import type { LimitName } from '../../contract/limits.ts';
import { openapiDocument } from '../../contract/openapi/openapi.ts';
import type { sessionState } from '../../contract/session.ts';
import type { translationDetail } from '../../contract/translations.ts';
import type { voiceToken } from '../../contract/voice.ts';
import type { tenant, tenantChange } from '../../contract/workspace.ts';
import type * as wire from '../../generated/types.ts';

/** Type tests: the client's types equal those inferred from the contract. */
test('the response types of the client equal those of the contract', () => {
  expectTypeOf<wire.BootReply>().toEqualTypeOf<z.output<typeof bootReply>>();
  // The document leaves `ai_generated: true` open because generators stumble over it, so it is open
  // here too.
  type Start = { type: 'message_start' };
  expectTypeOf<Exclude<wire.ChatEvent, Start>>().toEqualTypeOf<Exclude<z.output<typeof chatEvent>, Start>>();
  expectTypeOf<z.output<typeof chatEvent>>().toExtend<wire.ChatEvent>();
  expectTypeOf<wire.Conversation>().toEqualTypeOf<z.output<typeof conversation>>();
  expectTypeOf<wire.Article>().toEqualTypeOf<z.output<typeof article>>();
  expectTypeOf<wire.TranslationDetail>().toEqualTypeOf<z.output<typeof translationDetail>>();
  expectTypeOf<wire.SessionState>().toEqualTypeOf<z.output<typeof sessionState>>();
  expectTypeOf<wire.Tenant>().toEqualTypeOf<z.output<typeof tenant>>();
  expectTypeOf<wire.Analytics>().toEqualTypeOf<z.output<typeof analyticsReport>>();
  expectTypeOf<wire.ExportedEvent>().toEqualTypeOf<z.output<typeof exportedEvent>>();
  expectTypeOf<wire.ExportedTranscript>().toEqualTypeOf<z.output<typeof exportedTranscript>>();
  expectTypeOf<wire.ArchiveLine>().toEqualTypeOf<z.output<typeof archiveLine>>();
  expectTypeOf<wire.VoiceToken>().toEqualTypeOf<z.output<typeof voiceToken>>();
  expectTypeOf<wire.ErrorBody>().toEqualTypeOf<ErrorBody>();
});

test('the request types of the client equal those of the contract', () => {
  expectTypeOf<wire.BootRequest>().toEqualTypeOf<z.input<typeof bootRequest>>();
  expectTypeOf<wire.ChatRequest>().toEqualTypeOf<z.input<typeof chatRequest>>();
  expectTypeOf<wire.CaptureContext>().toEqualTypeOf<z.input<typeof captureContext>>();
  expectTypeOf<wire.ConsentRequest>().toEqualTypeOf<z.input<typeof consentRequest>>();
  expectTypeOf<wire.ArticleEdit>().toEqualTypeOf<z.input<typeof articleEdit>>();
  expectTypeOf<wire.TenantChange>().toEqualTypeOf<z.input<typeof tenantChange>>();
  expectTypeOf<Omit<wire.ListArticlesQuery, 'limit'>>().toEqualTypeOf<
    Omit<z.output<typeof articles.listArticles.query>, 'limit'>
  >();
  expectTypeOf<wire.ErrorCode>().toEqualTypeOf<keyof typeof ERROR_CODES>();
  expectTypeOf<wire.BucketName>().toEqualTypeOf<LimitName>();
});

test('every schema and error code of the document has a type without imports', () => {
  const text = readFileSync('generated/types.ts', 'utf8');
  const names = Object.keys(openapiDocument().components?.schemas ?? {});
  expect(names.filter((name) => !text.includes(`export type ${name} = `))).toEqual([]);
  expect(Object.keys(ERROR_CODES).filter((code) => !text.includes(`| '${code}'`))).toEqual([]);
  expect(text).not.toMatch(/^\s*import\b|import\(/m);
});
