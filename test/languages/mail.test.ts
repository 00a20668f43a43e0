import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import english from '../../languages/mail/en.json' with { type: 'json' };
import { PANEL_LANGUAGES } from '../../server/base/guide-languages.ts';
import {
  type MailBlock,
  MailLanguage,
  type MailTemplate,
  toMailLocale,
  VisitorMailLanguage,
} from '../../server/people/mail-languages.ts';
import { listPlaceholders, renderMail } from '../../server/people/render-mail.ts';

const FOLDER = new URL('../../languages/mail/', import.meta.url);
const FILES = readdirSync(FOLDER);
/** Members read these languages. */
const COMPLETE = readdirSync(new URL('../dashboard/', FOLDER));
const read = (name: string): unknown => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'));

/** Returns what a block shows of the values, and nothing of its words. */
const toShape = (block: MailBlock) =>
  typeof block === 'string'
    ? listPlaceholders(block).sort()
    : 'to' in block
      ? { to: block.to }
      : 'list' in block
        ? { list: block.list }
        : { quote: block.quote };

describe('the mails of a language', () => {
  it('are one for each language of the guide: that to visitors', () => {
    for (const tag of PANEL_LANGUAGES.keys())
      expect(toMailLocale([tag], 'handover_reply_to_visitor')).toBe(tag.startsWith('pt') ? 'pt' : tag);
    for (const name of FILES.filter((each) => !COMPLETE.includes(each))) {
      const { templates, footer } = VisitorMailLanguage.parse(read(name));
      const { subject, body } = templates.handover_reply_to_visitor;
      expect([listPlaceholders(subject), body.map(toShape)], name).toEqual([
        ['workspace'],
        [expect.toBeOneOf([['workspace'], []]), { quote: 'reply' }, [], { quote: 'message' }],
      ]);
      expect(listPlaceholders(footer.from), name).toEqual(['host']);
    }
  });

  it.each(COMPLETE)('have the parts and placeholders of the English ones: %s', (name) => {
    const language = MailLanguage.parse(read(name));
    for (const [template, { subject, body }] of Object.entries(language.templates)) {
      const source = english.templates[template as MailTemplate];
      // A sentence may name a value twice.
      const toSet = (text: string) => new Set(listPlaceholders(text));
      expect(toSet(subject), template).toEqual(toSet(source.subject));
      const unique = (shapes: unknown[]) =>
        shapes.map((shape) => (Array.isArray(shape) ? [...new Set(shape)] : shape));
      expect(unique(body.map(toShape)), template).toEqual(unique((source.body as MailBlock[]).map(toShape)));
    }
  });

  it('leave out blocks without a value, and escape values in HTML', () => {
    const values = { workspace: 'Laden & Co', inviter: 'ada@shop.example' };
    const { text, html } = renderMail({
      template: 'invitation',
      locale: 'de',
      values,
      host: 'guide.example',
    });
    expect(text).toBe(
      [
        'ada@shop.example lädt dich in den Arbeitsbereich Laden & Co auf Guidepost ein.',
        '-- \nGesendet von Guidepost auf guide.example.',
      ].join('\n\n'),
    );
    expect(html).toContain('<bdi>Laden &#38; Co</bdi>');
    expect(html).toContain('<html lang="de">');
    // Values are isolated, so that the words of the language say where lines begin.
    expect(html).toContain('<div dir="auto"');
  });
});
