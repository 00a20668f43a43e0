import { z } from 'zod';
import english from '../../languages/guide/en.json' with { type: 'json' };

const text = z.string().min(1);
const texts = z.array(text).min(1);

/** Returns the schema of a section, which requires every key of the English section. */
function likeEnglish<Key extends string, Value extends z.ZodType>(
  section: Record<Key, unknown>,
  value: Value,
) {
  return z.record(z.enum(Object.keys(section) as Key[]), value);
}

/** A language of the guide, as `languages/guide/<tag>.json` holds it; languages/README.md says what each part means. */
export const GuideLanguage = z.strictObject({
  panel: z
    .strictObject({
      texts: likeEnglish(english.panel.texts, text),
      helpCentre: likeEnglish(english.panel.helpCentre, text),
      consent: likeEnglish(english.panel.consent, text),
      disclosure: text,
    })
    .optional(),
  chat: z
    .strictObject({
      phrases: likeEnglish(english.chat.phrases, text),
      letters: text.optional(),
      conjunctions: text.optional(),
      questionWords: text.optional(),
      asksHow: texts.optional(),
      asksFact: texts.optional(),
      editorNotes: texts.optional(),
      botQuestion: z.strictObject({ being: text.optional(), patterns: texts }).optional(),
      examples: likeEnglish(english.chat.examples, texts),
      pageExamples: likeEnglish(english.chat.pageExamples, texts).optional(),
    })
    .optional(),
  functionWords: text.optional(),
});
export type GuideLanguage = z.infer<typeof GuideLanguage>;
