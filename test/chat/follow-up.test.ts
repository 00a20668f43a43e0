import { describe, expect, it } from 'vitest';
import { classifyDependence, summarizeConversation } from '../../server/chat/follow-up.ts';

describe('classifyDependence', () => {
  it.each([
    ['en', 'and how do I undo that?'],
    ['en', "what if it isn't found?"],
    ['en', 'Where can I find it?'],
    ['en', 'Can I do this later, and does it cost anything?'],
    ['de', 'Und wie mache ich es rückgängig?'],
    ['de', 'Brauche ich dafür ein Passwort?'],
    ['fr', 'Comment faire ça ?'],
    ['es', '¿Y cómo deshago eso?'],
    ['it', 'Come posso annullarlo?'],
    ['pt', 'Como desfaço isso?'],
    ['nl', 'Hoe maak ik dit ongedaan?'],
    ['pl', 'Jak to cofnąć?'],
    ['ru', 'А как это отменить?'],
    ['uk', 'Як це скасувати?'],
    ['el', 'Πώς αναιρώ αυτό;'],
    ['tr', 'Bunu nasıl geri alırım?'],
    ['ar', 'كيف ألغي ذلك؟'],
    ['he', 'איך אני מבטל את זה?'],
    ['hi', 'मैं इसे वापस कैसे करूँ?'],
    ['ja', 'それを元に戻すには？'],
    ['ko', '그거 어떻게 취소해요?'],
    ['zh', '怎么撤销它？'],
    ['th', 'จะยกเลิกมันได้อย่างไร'],
  ])('finds in %s that "%s" refers back', (language, text) => {
    expect(classifyDependence(text, language)).toBe('refers');
  });

  it.each([
    ['en', 'and for Switzerland?'],
    ['en', 'What about express delivery to Austria?'],
    ['en', 'why?'],
    ['de', 'Und in die Schweiz?'],
    ['fr', 'Et pour la Suisse ?'],
    ['es', '¿Y para Suiza?'],
    ['ru', 'А в Швейцарию?'],
    ['ja', 'では、スイスは？'],
    ['zh', '那瑞士呢？'],
  ])('finds in %s that "%s" may continue the conversation', (language, text) => {
    expect(classifyDependence(text, language)).toBe('continues');
  });

  it.each([
    ['en', 'How do I reset my password?'],
    ['en', 'Which payment methods do you accept?'],
    ['de', 'Wie setze ich das Passwort zurück?'],
    ['fr', 'Comment réinitialiser le mot de passe ?'],
    ['es', '¿Cómo restablezco la contraseña?'],
    ['pl', 'Jak zresetować hasło do konta?'],
    ['ja', 'パスワードをリセットするにはどうすればいいですか？'],
    ['zh', '我应该怎样重置我的账户密码？'],
  ])('finds in %s that "%s" stands alone', (language, text) => {
    expect(classifyDependence(text, language)).toBe('independent');
  });
});

describe('summarizeConversation', () => {
  const summarize = (turns: Parameters<typeof summarizeConversation>[0]) =>
    summarizeConversation(
      turns,
      (question) => question === 'Thanks!',
      () => 'en',
    );
  const shipping = { question: 'How long does shipping to Germany take?', articleIds: ['art_shipping'] };

  it('goes back to the question that named the subject', () => {
    const turns = [
      { question: 'Do you sell gift cards?', articleIds: ['art_cards'] },
      shipping,
      { question: 'and for Switzerland?', articleIds: [] },
    ];
    expect(summarize(turns)).toEqual({
      text: 'and for Switzerland?\nHow long does shipping to Germany take?',
      articleIds: ['art_shipping'],
    });
  });

  it('keeps the question that found nothing', () => {
    const turns = [{ question: 'Do you ship garden gnomes to Norway?', articleIds: [] }];
    expect(summarize(turns)).toEqual({ text: turns[0]!.question, articleIds: [] });
  });

  it('returns undefined before the first question', () => {
    expect(summarize([])).toBeUndefined();
    expect(summarize([{ question: 'Thanks!', articleIds: [] }])).toBeUndefined();
  });

  it('ignores small talk', () => {
    expect(summarize([shipping, { question: 'Thanks!', articleIds: [] }])).toEqual({
      text: shipping.question,
      articleIds: ['art_shipping'],
    });
  });
});
