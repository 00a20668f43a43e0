import type {
  Engine,
  EngineEvent,
  EnginePassage,
  EngineQuestion,
  EngineTarget,
  EngineUsage,
} from './engine.ts';

/**
 * The default engine, without API key or network. It quotes the best sentences of the best passage
 * verbatim and cites them, points at a part of the page that the question names, and suggests
 * further articles.
 */
export function createExtractiveEngine(): Engine {
  return {
    name: 'extractive',
    async *answer(question, signal) {
      if (signal.aborted) return;
      const best = question.passages[0];
      if (!question.found || !best || best.quotes.length === 0) yield* answerNothingFound(question);
      else yield* quoted(question, best);
    },
  };
}

const SUGGESTIONS_MAX = 3;
const NO_USAGE = { inputTokens: 0, outputTokens: 0 };

function* quoted(question: EngineQuestion, best: EnginePassage): Generator<EngineEvent> {
  let length = 0;
  for (const quote of mergeQuotes(best)) {
    const gap = length === 0 ? '' : '\n\n';
    yield { type: 'text', delta: gap + quote };
    const start = length + gap.length;
    length = start + quote.length;
    yield { type: 'citation', passage: best, quote, start, end: length };
  }
  const target = findNamedTarget(question);
  if (target) yield toPointAction(target);
  yield* suggestNext(question, best.articleId);
  yield { type: 'end', finishReason: 'stop', confidence: best.confidence, usage: NO_USAGE };
}

/** Joins adjacent sentences into one quote with the text between them. */
function mergeQuotes(passage: EnginePassage): string[] {
  const inOrder = [...passage.quotes].sort((a, b) => a.start - b.start);
  const spans: { start: number; end: number }[] = [];
  for (const { start, end } of inOrder) {
    const last = spans.at(-1);
    if (last && passage.text.slice(last.end, start).trim() === '') last.end = Math.max(last.end, end);
    else spans.push({ start, end });
  }
  return spans.map(({ start, end }) => passage.text.slice(start, end).trim()).filter((quote) => quote !== '');
}

/** Says that no article matches and lists the closest titles. */
export function* answerNothingFound(
  question: EngineQuestion,
  usage: EngineUsage = NO_USAGE,
): Generator<EngineEvent> {
  const phrases = getPhrases(question.requestedLocale);
  const titles = question.nearest.slice(0, SUGGESTIONS_MAX).map(({ title }) => `• ${title}`);
  const target = findNamedTarget(question);
  yield { type: 'text', delta: phrases.nothingFound };
  if (titles.length > 0) yield { type: 'text', delta: `\n\n${phrases.nearest}\n${titles.join('\n')}` };
  if (target) yield toPointAction(target);
  yield* suggestNext(question, undefined);
  yield {
    type: 'end',
    finishReason: 'no_knowledge',
    confidence: question.passages[0]?.confidence ?? 0,
    usage,
  };
}

/** Suggests other articles. */
export function* suggestNext(
  question: EngineQuestion,
  citedArticleId: string | undefined,
): Generator<EngineEvent> {
  const others = [...question.passages, ...question.nearest].filter(
    ({ articleId }) => articleId !== citedArticleId,
  );
  const titles = [...new Set(others.map(({ title }) => title))].slice(0, SUGGESTIONS_MAX);
  if (titles.length > 0)
    yield { type: 'suggestions', items: titles.map((title) => ({ title, message: title })) };
}

function toPointAction(target: EngineTarget): EngineEvent {
  return {
    type: 'action',
    kind: target.inViewport ? 'highlight' : 'scroll_to',
    gpId: target.gpId,
    label: target.name,
    reason: target.name,
  };
}

const LABEL_WORDS_MAX = 6;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/**
 * The target whose whole label occurs in the question; prefers the longest label, then the page's
 * confidence.
 */
function findNamedTarget(question: EngineQuestion): EngineTarget | undefined {
  if (question.page.targets.length === 0) return undefined;
  const questionStems = new Set(toStems(question.text));
  return question.page.targets
    .map((target) => ({ target, words: toStems(target.name) }))
    .filter(
      ({ words }) =>
        words.length > 0 && words.length <= LABEL_WORDS_MAX && words.every((word) => questionStems.has(word)),
    )
    .sort((a, b) => b.words.length - a.words.length || b.target.confidence - a.target.confidence)[0]?.target;
}

const STEM_CHARS = 5;

/**
 * Words of three characters or more, truncated so that inflected forms match. In scripts without
 * spaces every word counts.
 */
function toStems(text: string): string[] {
  const words: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text.normalize('NFKC').toLowerCase())) {
    if (!isWordLike) continue;
    const isDense = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(segment);
    if (segment.length >= 3 || isDense) words.push([...segment].slice(0, STEM_CHARS).join(''));
  }
  return words;
}

/** The extractive engine's own sentences by language; everything else is quoted. */
type Phrases = { readonly nothingFound: string; readonly nearest: string };

const PHRASES: Readonly<Record<string, Phrases>> = {
  en: {
    nothingFound: 'I found nothing about this in the published articles.',
    nearest: 'The nearest topics are:',
  },
  ar: { nothingFound: 'لم أجد شيئًا عن هذا في المقالات المنشورة.', nearest: 'أقرب المواضيع هي:' },
  cs: { nothingFound: 'V publikovaných článcích jsem o tom nic nenašel.', nearest: 'Nejbližší témata jsou:' },
  de: {
    nothingFound: 'Dazu habe ich in den veröffentlichten Artikeln nichts gefunden.',
    nearest: 'Am nächsten kommen diese Themen:',
  },
  el: {
    nothingFound: 'Δεν βρήκα κάτι σχετικό στα δημοσιευμένα άρθρα.',
    nearest: 'Τα πιο κοντινά θέματα είναι:',
  },
  es: {
    nothingFound: 'No he encontrado nada sobre esto en los artículos publicados.',
    nearest: 'Los temas más cercanos son:',
  },
  fa: { nothingFound: 'در مقاله‌های منتشرشده چیزی در این باره نیافتم.', nearest: 'نزدیک‌ترین موضوع‌ها:' },
  fr: {
    nothingFound: 'Je n’ai rien trouvé à ce sujet dans les articles publiés.',
    nearest: 'Les sujets les plus proches sont :',
  },
  he: { nothingFound: 'לא מצאתי על כך דבר במאמרים שפורסמו.', nearest: 'הנושאים הקרובים ביותר הם:' },
  hi: { nothingFound: 'प्रकाशित लेखों में मुझे इस बारे में कुछ नहीं मिला।', nearest: 'सबसे नज़दीकी विषय हैं:' },
  it: {
    nothingFound: 'Non ho trovato nulla su questo negli articoli pubblicati.',
    nearest: 'Gli argomenti più vicini sono:',
  },
  ja: {
    nothingFound: '公開されている記事には、これに関する内容が見つかりませんでした。',
    nearest: '最も近いトピック:',
  },
  ko: { nothingFound: '게시된 문서에서 이에 관한 내용을 찾지 못했습니다.', nearest: '가장 가까운 주제:' },
  nl: {
    nothingFound: 'Ik heb hierover niets gevonden in de gepubliceerde artikelen.',
    nearest: 'De onderwerpen die het dichtst in de buurt komen:',
  },
  pl: {
    nothingFound: 'W opublikowanych artykułach nie ma nic na ten temat.',
    nearest: 'Najbliższe tematy to:',
  },
  pt: {
    nothingFound: 'Não encontrei nada sobre isto nos artigos publicados.',
    nearest: 'Os tópicos mais próximos são:',
  },
  ro: {
    nothingFound: 'Nu am găsit nimic despre acest subiect în articolele publicate.',
    nearest: 'Cele mai apropiate subiecte sunt:',
  },
  ru: { nothingFound: 'В опубликованных статьях об этом ничего не найдено.', nearest: 'Ближайшие темы:' },
  sv: {
    nothingFound: 'Jag hittade inget om detta i de publicerade artiklarna.',
    nearest: 'De närmaste ämnena är:',
  },
  th: { nothingFound: 'ไม่พบเนื้อหาเกี่ยวกับเรื่องนี้ในบทความที่เผยแพร่', nearest: 'หัวข้อที่ใกล้เคียงที่สุดคือ:' },
  tr: {
    nothingFound: 'Yayımlanmış makalelerde bununla ilgili bir şey bulamadım.',
    nearest: 'En yakın konular:',
  },
  uk: { nothingFound: 'В опублікованих статтях про це нічого не знайдено.', nearest: 'Найближчі теми:' },
  vi: {
    nothingFound: 'Tôi không tìm thấy nội dung nào về điều này trong các bài viết đã đăng.',
    nearest: 'Các chủ đề gần nhất là:',
  },
  zh: { nothingFound: '在已发布的文章中没有找到相关内容。', nearest: '最接近的主题是：' },
};

function getPhrases(locale: string): Phrases {
  return PHRASES[locale.split('-', 1)[0]!.toLowerCase()] ?? PHRASES.en!;
}

const REFUSED: Readonly<Record<string, string>> = {
  en: 'I cannot answer this.',
  de: 'Darauf kann ich nicht antworten.',
  es: 'No puedo responder a esto.',
  fa: 'نمی‌توانم به این پاسخ بدهم.',
  fr: 'Je ne peux pas répondre à cela.',
  ja: 'これにはお答えできません。',
  ru: 'Я не могу на это ответить.',
  zh: '我无法回答这个问题。',
};

/** Used when a model refuses without any text. */
export function getRefusalPhrase(locale: string): string {
  return REFUSED[locale.split('-', 1)[0]!.toLowerCase()] ?? REFUSED.en!;
}
