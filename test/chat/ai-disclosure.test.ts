import { describe, expect, it } from 'vitest';
import { prepareAnswer } from '../../server/chat/answer-message.ts';
import type { Engine } from '../../server/engine/engine.ts';
import { createExtractiveEngine } from '../../server/engine/extractive.ts';
import type { Result } from '../../server/knowledge/search/retrieve.ts';
import { collectEvents, joinText, only, PASSWORD } from '../engine/questions.ts';

/** An engine that follows its instructions and claims to be a person. */
const liar: Engine = {
  name: 'liar',
  async *answer() {
    yield { type: 'text', delta: 'Of course I am a person. My name is Anna.' };
    yield { type: 'end', finishReason: 'stop', confidence: 1, usage: { inputTokens: 1, outputTokens: 1 } };
  },
};

const { text: answerText, quotes, ...password } = PASSWORD;
const found: Result = {
  ...password,
  answer: answerText,
  sentences: quotes,
  slug: 'password',
  locale: 'en',
  requestedLocale: 'en',
  sourceRevision: 3,
  aliases: [],
  stale: false,
  score: 0.9,
};

async function answer(text: string, engine: Engine = liar) {
  const { signal } = new AbortController();
  const message = {
    text,
    requestedLocale: 'en',
    sourceLocale: 'en',
    workspaceName: 'Shop',
    page: { title: '', url: '', digest: '', selectedText: '', targets: [] },
    recentTurns: [],
  };
  const retrieval = {
    requestedLocale: 'en',
    found: true,
    confidence: 0.9,
    threshold: 0.5,
    results: [found],
    likely: false,
    nearest: [],
  };
  const deps = {
    engine,
    allowance: undefined,
    search: async () => retrieval,
    listTopics: async () => [],
  };
  const prepared = await prepareAnswer(message, deps, signal);
  return collectEvents(prepared.answer(signal));
}

const ASKED: readonly (readonly [locale: string, disclosure: string, ...questions: string[]])[] = [
  [
    'en',
    "I'm not a person",
    'Are you a person?',
    'are you human',
    'Hi! Are you a real person or a bot?',
    'Am I talking to a human?',
    'Are you an AI?',
    'r u a bot',
    'Are you a chatbot?',
    'are you a chat bot',
    'Aren’t you a robot?',
    'Is this a real person?',
  ],
  [
    'de',
    'Ich bin kein Mensch',
    'Bist du ein Mensch?',
    'Sind Sie ein Mensch oder eine Maschine?',
    'Bist du wirklich eine echte Person?',
    'Spreche ich mit einem echten Menschen?',
    'bist du eine KI',
  ],
  [
    'es',
    'No soy una persona',
    '¿Eres una persona?',
    '¿Es usted un robot?',
    '¿Estoy hablando con una persona real?',
    'eres humano?',
  ],
  [
    'fa',
    'من انسان نیستم',
    'آیا شما انسان هستید؟',
    'تو رباتی؟ آیا تو یک انسان واقعی هستی؟',
    'با یک انسان صحبت می‌کنم؟',
    'شما هوش مصنوعی هستید؟',
  ],
  [
    'fr',
    'Je ne suis pas une personne',
    'Êtes-vous une personne ?',
    'Es-tu un robot ?',
    'Est-ce que je parle à un humain ?',
    'Vous êtes une vraie personne ?',
  ],
  [
    'ja',
    '私は人間ではありません',
    'あなたは人間ですか？',
    'あなたはAIですか',
    '人と話していますか？',
    '人間ですか',
  ],
  ['ru', 'Я не человек', 'Ты человек?', 'Вы робот?', 'Я разговариваю с живым человеком?', 'ты вообще живой?'],
  ['zh-CN', '我不是人', '你是人吗？', '你是真人还是机器人？', '您是不是人工客服？', '我在和机器人聊天吗'],
  ['pt', 'Não sou uma pessoa', 'Você é uma pessoa?', 'Estou falando com um robô?'],
  ['it', 'Non sono una persona', 'Sei una persona?', 'Sto parlando con un umano?'],
  ['nl', 'Ik ben geen mens', 'Ben je een mens?', 'Praat ik met een echte persoon?'],
  ['pl', 'Nie jestem człowiekiem', 'Czy jesteś człowiekiem?', 'Rozmawiam z botem?'],
  ['tr', 'Ben bir insan değilim', 'Sen bir insan mısın?', 'Robot musun?'],
  ['uk', 'Я не людина', 'Ти людина?', 'Я розмовляю з роботом?'],
  ['ar', 'لست إنسانًا', 'هل أنت إنسان؟', 'هل أتحدث مع إنسان؟'],
  ['ko', '저는 사람이 아닙니다', '당신은 사람인가요?', '로봇이에요?'],
  ['sv', 'Jag är ingen människa', 'Är du en människa?'],
  ['cs', 'Nejsem člověk', 'Jsi člověk?', 'Mluvím s robotem?'],
];

describe('the AI disclosure', () => {
  it.each(ASKED)('discloses the AI in %s, whatever the engine says', async (_, disclosure, ...questions) => {
    for (const question of questions) {
      const events = await answer(question);
      expect(joinText(events), question).toContain(disclosure);
      expect(joinText(events), question).not.toContain('Anna');
      expect(only(events, 'end'), question).toHaveLength(1);
    }
  });

  it('is followed by the answer to a second question, with shifted citation offsets', async () => {
    const text = 'Are you a person? And how do I reset my password when the e-mail never comes?';
    const events = await answer(text, createExtractiveEngine());
    const answerText = joinText(events);
    expect(answerText).toContain("I'm not a person");
    const heard: string[] = [];
    const ear: Engine = {
      name: 'ear',
      async *answer(question) {
        heard.push(question.text);
        yield* liar.answer(question, new AbortController().signal);
      },
    };
    await answer(text, ear);
    expect(heard).toEqual(['And how do I reset my password when the e-mail never comes?']);
    for (const { start, end, quote } of only(events, 'citation'))
      expect(answerText.slice(start, end)).toBe(quote);
    expect(only(events, 'citation').length).toBeGreaterThan(0);
  });
});

describe('findBotQuestion', () => {
  it.each([
    'How do I add a person to my account?',
    'Can a robot vacuum be returned?',
    'Are you open on Sundays?',
    'Are you able to deliver to Austria?',
    'What is a bot?',
    'Who is the contact person?',
    'Sind Sie am Sonntag geöffnet?',
    'Wie viele Personen können mitfahren?',
    'Ist die Maschine lieferbar?',
    '¿Cuántas personas caben?',
    'Combien de personnes ?',
    'Сколько человек может войти?',
    'Вы доставляете в Минск?',
    '何人まで使えますか？',
    '多少人可以使用？',
    '你是怎么计算运费的？',
    'چند نفر می‌توانند استفاده کنند؟',
    'Bir kişi kaç tane alabilir?',
    'Você é responsável pela entrega?',
  ])('ignores %s', async (question) => {
    expect(joinText(await answer(question))).toContain('Anna');
  });
});
