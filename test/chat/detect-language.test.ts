import { describe, expect, it } from 'vitest';
import { readLanguageMessages } from '../../eval/answer-language.ts';
import { CHAT_TAGS } from '../../server/base/guide-languages.ts';
import { detectLanguage } from '../../server/chat/intent/detect-language.ts';

describe('detectLanguage, in a browser that prefers another language', () => {
  const detect = (text: string, expected: string) => detectLanguage(text, CHAT_TAGS, expected);

  it('is not misled by typing errors, names and short requests', () => {
    const english = readLanguageMessages().filter(({ language }) => language === 'en');
    const misled = english.filter(({ message }) => (detect(message, 'en') ?? 'en') !== 'en');
    expect(english.length).toBeGreaterThanOrEqual(60);
    expect(misled.map(({ message }) => message)).toStrictEqual([]);
  });

  it('still detects most messages that are in another language', () => {
    const others = readLanguageMessages().filter(({ language }) => language !== 'en');
    const detected = others.filter(({ language, message }) => detect(message, 'en')?.startsWith(language));
    expect(detected.length / others.length).toBeGreaterThanOrEqual(0.9);
  });

  it.each([
    ['de', 'where is my parcel', 'en'],
    ['de', 'reset password', undefined],
    ['fr', 'wo ist mein Paket', 'de'],
    ['en', 'где мой заказ', 'ru'],
    ['ru', 'order status', undefined],
    ['en', 'iphone 15 pro max die', undefined],
    ['en', 'retrun oder pls', undefined],
    ['en', 'wifi pas', undefined],
    ['en', 'par 3 golf clubs', undefined],
    ['en', 'oder status', undefined],
    ['en', 'cancel sub', undefined],
    ['en', 'note pour les oder', 'fr'],
  ])('in %s: %s', (expected, text, language) => {
    expect(detect(text, expected)).toBe(language);
  });
});

it.each([
  ['Как изменить пароль?', 'ru'],
  ['Що робити, якщо забув пароль?', 'uk'],
  ['كيف يمكنني تغيير كلمة المرور؟', 'ar'],
  ['چگونه رمز عبور را تغییر دهم؟', 'fa'],
  ['怎么修改密码？', 'zh-CN'],
  ['如何變更密碼？', 'zh-TW'],
  ['パスワードの変更方法', 'ja'],
  ['비밀번호 변경', 'ko'],
] as const)('detectLanguage detects the language of %s', (text, locale) => {
  expect(detectLanguage(text, ['ru', 'uk', 'ar', 'fa', 'zh-CN', 'zh-TW', 'ja', 'ko', 'en'])).toBe(locale);
});
