/**
 * Detects the question whether the guide is a person, and has the answer in each language. Engines
 * and owners cannot override it.
 */

type Language = { language: string; patterns: readonly RegExp[]; answer: string };

/** Builds patterns of whole words. A blank matches blanks, commas and hyphens; ` ?` also matches nothing. */
function phrasePatterns(...sources: readonly string[]): RegExp[] {
  return sources.map((source) => {
    const words = source.replaceAll(' ?', '[\\s,-]*').replaceAll(' ', '[\\s,-]+');
    return new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'iu');
  });
}

/** Builds patterns for scripts without spaces between words. */
const within = (...sources: readonly string[]): RegExp[] => sources.map((source) => new RegExp(source, 'iu'));

const EN =
  '(?:human|human being|person|man|woman|robot|bot|chat ?bot|machine|computer|ai|artificial intelligence|language model|program|real)';
const DE =
  '(?:mensch|person|roboter|bot|chatbot|maschine|computer|ki|künstliche intelligenz|programm|echt|sprachmodell)';
const ES =
  '(?:persona|humano|humana|ser humano|robot|bot|chatbot|máquina|maquina|ia|inteligencia artificial|real|programa|hombre|mujer)';
const FR =
  '(?:personne|humain|humaine|être humain|robot|bot|chatbot|machine|ia|intelligence artificielle|réel|réelle|homme|femme|programme)';
const RU =
  '(?:человек|робот|бот|чат ?бот|машина|ии|нейросеть|искусственный интеллект|программа|живой|живая|реальный|настоящий)';
const RU_WITH =
  '(?:человеком|роботом|ботом|чат ?ботом|машиной|программой|нейросетью|искусственным интеллектом|ии)';
const FA = '(?:انسان|آدم|ربات|روبات|بات|ماشین|هوش مصنوعی|چت ?بات|شخص)';
const JA = '(?:人間|生身の人|本物の人|人|ロボット|ボット|ai|機械|人工知能|チャットボット|プログラム)';
const ZH =
  '(?:真人|人类|人類|机器人|機器人|机器|機器|ai|人工智能|人工智慧|人工客服|程序|程式|电脑|電腦|人(?=$|[\\s吗嗎么麼呢吧啊?!。,]|还是|還是|或))';
const PT =
  '(?:pessoa|humano|humana|ser humano|robô|robot|bot|chatbot|máquina|ia|inteligência artificial|real|programa)';
const IT =
  '(?:persona|umano|umana|essere umano|robot|bot|chatbot|macchina|ia|intelligenza artificiale|reale|programma)';
const NL = '(?:mens|persoon|robot|bot|chatbot|machine|computer|ai|programma|kunstmatige intelligentie)';
const PL = '(?:człowiekiem|osobą|robotem|botem|chatbotem|maszyną|ai|sztuczną inteligencją|programem)';
const UK = '(?:людина|робот|бот|чат ?бот|машина|ші|штучний інтелект|програма|жива)';
const AR = '(?:إنسان|انسان|شخص|بشر|روبوت|آلة|بوت|ذكاء اصطناعي|برنامج|رجل آلي)';
const KO = '(?:사람|인간|로봇|봇|챗봇|ai|인공지능|기계|프로그램)';
const SV = '(?:människa|person|robot|bot|chattbot|maskin|dator|ai|program)';
const CS = '(?:člověk|osoba|robot|bot|chatbot|stroj|program|umělá inteligence|ai)';

const LANGUAGES: readonly Language[] = [
  {
    language: 'en',
    patterns: phrasePatterns(
      `(?:are|r|aren't) (?:you|u|ya) (?:really |actually |just |even |not |in fact )*(?:an? |the )?(?:real |actual |live |living )?${EN}`,
      `am i (?:really |actually |just )?(?:talking|speaking|chatting|writing) (?:to|with) (?:an? )?(?:real |actual |live )?${EN}`,
      `is (?:this|it) (?:really |just |actually )?(?:an? )(?:real |actual |live )?(?:human|person|robot|bot|chat ?bot|ai)`,
      `is there (?:an? )(?:real |actual |live )?(?:human|person) (?:here|there|behind|on)`,
    ),
    answer: "I'm not a person. I'm an automated guide: software that answers from this site's articles.",
  },
  {
    language: 'de',
    patterns: phrasePatterns(
      `(?:bist du|sind sie|seid ihr|biste) (?:wirklich |echt |tatsächlich |eigentlich |denn |nur |etwa |auch |überhaupt |gar )*(?:eine?n? |kein |keine )?(?:echte[rs]? |richtige[rs]? |wirkliche[rs]? |reale[rs]? |lebendige[rs]? )?${DE}`,
      `(?:spreche|rede|schreibe|chatte|unterhalte) ich (?:mich )?(?:hier |gerade |jetzt |wirklich |eigentlich )*mit (?:eine[mr] )?(?:echten |richtigen |realen )?(?:menschen|person|roboter|bot|chatbot|maschine|computer|ki|programm)`,
    ),
    answer:
      'Ich bin kein Mensch. Ich bin ein automatischer Guide: Software, die aus den Artikeln dieser Website antwortet.',
  },
  {
    language: 'es',
    patterns: phrasePatterns(
      `(?:eres|sos|es usted|usted es) (?:realmente |de verdad |en verdad |acaso )*(?:una? )?(?:verdadera? )?${ES}`,
      `(?:hablando|hablo|chateando|chateo|conversando|converso) con (?:una? )?(?:verdadera? )?${ES}`,
    ),
    answer:
      'No soy una persona. Soy una guía automática: un programa que responde con los artículos de este sitio.',
  },
  {
    language: 'fr',
    patterns: phrasePatterns(
      `(?:es tu|êtes vous|etes vous|tu es|vous êtes|t'es) (?:vraiment |bien |réellement |seulement )*(?:une? )?(?:vraie? |véritable )?${FR}`,
      `(?:je parle|je discute|parlé je|je converse) (?:bien |vraiment |là )*(?:à|avec) (?:une? )?(?:vraie? |véritable )?${FR}`,
    ),
    answer:
      'Je ne suis pas une personne. Je suis un guide automatique : un logiciel qui répond à partir des articles de ce site.',
  },
  {
    language: 'ru',
    patterns: phrasePatterns(
      `(?:ты|вы) (?:вообще |правда |действительно |реально |точно |это |не |живой |настоящий |реальный )*${RU}`,
      `(?:говорю|разговариваю|общаюсь|переписываюсь) (?:ли )?(?:я )?(?:сейчас )?со? (?:живым |настоящим |реальным )?${RU_WITH}`,
    ),
    answer: 'Я не человек. Я автоматический гид: программа, которая отвечает по статьям этого сайта.',
  },
  {
    language: 'fa',
    patterns: phrasePatterns(
      `(?:تو|شما) (?:واقعا |واقعاً )?(?:یک |یه )?${FA}(?: واقعی)?(?:ی|ید| هستی| هستید| ای)?`,
      `${FA}(?: واقعی)? (?:هستی|هستید)`,
      `(?<!خواهم |خوام )با (?:یک |یه )?${FA}(?: واقعی)? (?:حرف|صحبت|چت|گفتگو)`,
    ),
    answer: 'من انسان نیستم. یک راهنمای خودکارم: نرم‌افزاری که از مقاله‌های این سایت پاسخ می‌دهد.',
  },
  {
    language: 'ja',
    patterns: within(
      `(?:あなた|君|きみ|そちら)(?:は|って)(?:本当に|本物の|実際に|実は)*${JA}(?:です|なの|なん|でしょ|か|\\?|$)`,
      '(?:人間|ロボット|ボット|人工知能|生身の人)(?:です|なんです|なの|でしょう)か',
      '(?:人間|人|ロボット|ボット|ai)と(?:話して|チャットして|会話して)',
    ),
    answer: '私は人間ではありません。このサイトの記事をもとに答える自動ガイド（ソフトウェア）です。',
  },
  {
    language: 'zh',
    patterns: within(
      `(?:你|您)(?:到底|真的|究竟)?是(?:不是)?(?:一个|一個|一名|一位|个|個)?(?:真的|真实的?|真實的?|真正的?|活的?)?${ZH}`,
      '(?<![想要能以让讓])(?:和|跟|与|與)(?:一个|一個)?(?:真人|真的人|机器人|機器人|机器|ai|人工智能)(?:说话|說話|聊天|对话|對話|交谈|交談)',
    ),
    answer: '我不是人。我是一个自动向导：根据本网站的文章来回答的软件。',
  },
  {
    language: 'pt',
    patterns: phrasePatterns(
      `(?:você é|voce e|vc é|tu és|és|o senhor é|a senhora é) (?:mesmo |realmente |de verdade )*(?:uma? )?${PT}`,
      `(?:falando|a falar|conversando|a conversar) com (?:uma? )?${PT}`,
    ),
    answer:
      'Não sou uma pessoa. Sou um guia automático: um programa que responde a partir dos artigos deste site.',
  },
  {
    language: 'it',
    patterns: phrasePatterns(
      `(?:sei|lei è) (?:davvero |veramente |proprio )*(?:una? )?(?:vera? )?${IT}`,
      `(?:parlando|parlo|chattando) con (?:una? )?(?:vera? )?${IT}`,
    ),
    answer:
      'Non sono una persona. Sono una guida automatica: un programma che risponde dagli articoli di questo sito.',
  },
  {
    language: 'nl',
    patterns: phrasePatterns(
      `(?:ben je|bent u|ben jij) (?:echt |wel |eigentlijk )*(?:een )?(?:echte? )?${NL}`,
      `(?:praat|spreek|chat) ik (?:nu |hier )?met (?:een )?(?:echte? )?${NL}`,
    ),
    answer:
      'Ik ben geen mens. Ik ben een automatische gids: software die antwoordt uit de artikelen van deze site.',
  },
  {
    language: 'pl',
    patterns: phrasePatterns(
      `(?:jesteś|pan jest|pani jest) (?:naprawdę |może |tylko )*(?:prawdziwym |prawdziwą |żywym )?${PL}`,
      `(?:rozmawiam|piszę) z (?:prawdziwym |prawdziwą |żywym )?${PL}`,
    ),
    answer:
      'Nie jestem człowiekiem. Jestem automatycznym przewodnikiem: programem, który odpowiada na podstawie artykułów tej strony.',
  },
  {
    language: 'tr',
    patterns: phrasePatterns(
      '(?:gerçek )?(?:bir )?(?:insan|robot|bot|kişi|makine|yapay zeka|yapay zekâ|chatbot|program) ?(?:mısın|mısınız|musun|musunuz|misin|misiniz)',
    ),
    answer:
      'Ben bir insan değilim. Otomatik bir rehberim: bu sitenin makalelerinden yanıt veren bir yazılım.',
  },
  {
    language: 'uk',
    patterns: phrasePatterns(
      `(?:ти|ви) (?:взагалі |справді |дійсно |це |не |жива |справжня )*${UK}`,
      '(?:говорю|розмовляю|спілкуюся) (?:я )?(?:з|із|зі) (?:живою |справжньою )?(?:людиною|роботом|ботом|машиною|програмою)',
    ),
    answer: 'Я не людина. Я автоматичний гід: програма, що відповідає за статтями цього сайту.',
  },
  {
    language: 'ar',
    patterns: phrasePatterns(
      `(?:أنت|انت|أنتِ|إنت) (?:حقا |حقًا |فعلا |فعلاً )?${AR}`,
      `(?:أتحدث|اتحدث|أتكلم|اتكلم) (?:مع|إلى) ${AR}`,
    ),
    answer: 'لست إنسانًا. أنا مرشد آلي: برنامج يجيب من مقالات هذا الموقع.',
  },
  {
    language: 'ko',
    patterns: within(
      `(?:당신|너|넌|상담원)(?:은|는|이)?\\s*(?:진짜\\s*|정말\\s*|실제\\s*)*${KO}`,
      `${KO}(?:이세요|인가요|입니까|이에요|예요|이신가요|이야\\?)`,
    ),
    answer: '저는 사람이 아닙니다. 이 사이트의 문서를 바탕으로 답하는 자동 안내 소프트웨어입니다.',
  },
  {
    language: 'sv',
    patterns: phrasePatterns(
      `är du (?:verkligen |egentligen |bara )*(?:en |ett )?(?:riktig |äkta )?${SV}`,
      `pratar jag med (?:en |ett )?(?:riktig |äkta )?${SV}`,
    ),
    answer:
      'Jag är ingen människa. Jag är en automatisk guide: programvara som svarar ur den här webbplatsens artiklar.',
  },
  {
    language: 'cs',
    patterns: phrasePatterns(
      `(?:jsi|jste) (?:opravdu |vůbec |skutečný |skutečná |živý )*${CS}`,
      '(?:mluvím|píšu si) s (?:opravdovým |skutečným |živým )?(?:člověkem|robotem|botem|strojem|programem)',
    ),
    answer: 'Nejsem člověk. Jsem automatický průvodce: program, který odpovídá z článků tohoto webu.',
  },
];

const CHARS_READ_MAX = 2000;

/**
 * Returns the answer in the language of the question, and the rest of the text; undefined for other
 * questions.
 */
export function findBotQuestion(
  text: string,
): { language: string; answer: string; rest: string } | undefined {
  const normalized = text
    .slice(0, CHARS_READ_MAX)
    .normalize('NFKC')
    .replaceAll(/[’‘`´]/g, "'");
  for (const { language, patterns, answer } of LANGUAGES) {
    if (!patterns.some((pattern) => pattern.test(normalized))) continue;
    let rest = normalized;
    for (const pattern of patterns) rest = rest.replaceAll(new RegExp(pattern, 'giu'), ' ');
    return { language, answer, rest: rest.trim() };
  }
  return undefined;
}
