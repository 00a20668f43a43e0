import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import english from '../../languages/mail/en.json' with { type: 'json' };
import { type MailBlock, MailLanguage, type MailTemplate } from '../../server/people/mail-languages.ts';
import { listPlaceholders, renderMail } from '../../server/people/render-mail.ts';

const FOLDER = new URL('../../languages/mail/', import.meta.url);
const FILES = readdirSync(FOLDER);

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
  it('are in the languages of the dashboard', () => {
    expect(FILES).toEqual(readdirSync(new URL('../dashboard/', FOLDER)));
  });

  it.each(FILES)('have the parts and placeholders of the English ones: %s', (name) => {
    const language = MailLanguage.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
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
  });
});
