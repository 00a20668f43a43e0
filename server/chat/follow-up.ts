import type { SearchContext } from '../knowledge/search/retrieve.ts';
import { hasUnspacedLetters } from '../text.ts';

/**
 * Recognizes messages that continue the conversation ("and how do I undo that?", "and for Switzerland?") and returns the subject of the
 * conversation.
 */

export type ConversationTurn = {
  readonly question: string;
  /** The articles that its answer cited. */
  readonly articleIds: readonly string[];
};

/**
 * - `refers`: a word stands for something said before, so the message alone is incomplete.
 * - `continues`: the message may be incomplete; a search for it alone decides.
 * - `independent`: the message stands alone.
 */
type Dependence = 'refers' | 'continues' | 'independent';

type Words = {
  /** Words that continue the conversation when a message begins with them. */
  readonly openers: string;
  /** Words that stand for something said before, anywhere in a message. */
  readonly references: string;
  /** Words that stand for something said before, but only at the end of a message or clause. */
  readonly finals?: string;
};

/** By language; openers count in messages of every language. Apostrophes are spaces, as `normalize` writes them. */
const WORDS: Readonly<Record<string, Words>> = {
  en: {
    openers: 'and|but|also|what about|how about|what if|or|then|so|what else|why|why not|ok and|okay and',
    references:
      'it|its|them|they|their|is that|was that|does that|did that|do that|will that|would that|can that|could that|should that|has that|if that|after that|before that|about that|are those|do those|can those',
    finals: 'that|this|those|these|there|one|then|instead|so',
  },
  de: {
    openers: 'und|aber|auch|oder|was ist mit|wie ist es mit|was wenn|und wenn|dann|warum|wieso|sonst',
    references:
      'es|ihn|ihm|damit|dafür|davon|dazu|daran|darauf|darin|dabei|dagegen|dort|kostet das|geht das|gilt das|dauert das|klappt das|bedeutet das|diese|diesen|dieses|dieser|diesem|denen',
    finals: 'das|dies|so|sie|da',
  },
  fr: {
    openers: 'et|mais|aussi|ou|et si|qu en est il|alors|pourquoi|et pour',
    references: 'ça|ca|cela|celui ci|celle ci|ceux ci|celui la|celle la',
    finals: 'le|la|les|y|en|faire',
  },
  es: {
    openers: 'y|pero|también|o|qué pasa con|y si|y para|qué pasa si|entonces|por qué',
    references: 'eso|esto|aquello|ello|lo|deshacerlo|hacerlo|cambiarlo|quitarlo|desactivarlo|activarlo',
    finals: 'ese|este|esa|ahí|allí',
  },
  it: {
    openers: 'e|ma|anche|o|e se|che ne dici di|e per|allora|perché|cosa succede se',
    references: 'questo|quello|ciò|lo|annullarlo|farlo|cambiarlo|disattivarlo|attivarlo|toglierlo',
    finals: 'questa|quella|lì|là',
  },
  pt: {
    openers: 'e|mas|também|ou|e se|e quanto a|e para|então|por que|porque',
    references: 'isso|isto|aquilo|ele|ela|desfazê lo|fazê lo|disso|nisso',
    finals: 'esse|este|essa|lá|aí',
  },
  nl: {
    openers: 'en|maar|ook|of|en als|hoe zit het met|wat als|dan|waarom',
    references: 'dit|daarmee|daarvoor|ervan|eraan|ermee|erop|ervoor',
    finals: 'dat|het|die|deze|daar',
  },
  sv: { openers: 'och|men|också|eller|vad händer om|hur är det med|varför', references: 'det|den|dem|detta' },
  da: { openers: 'og|men|også|eller|hvad hvis|hvad med|hvorfor', references: 'det|den|dem|dette' },
  nb: { openers: 'og|men|også|eller|hva om|hva med|hvorfor', references: 'det|den|dem|dette' },
  fi: {
    openers: 'ja|mutta|entä|entä jos|tai|miksi',
    references: 'se|sen|sitä|siitä|siihen|ne|niitä|tämä|tämän',
  },
  pl: {
    openers: 'a|i|ale|też|lub|a co z|a jeśli|co jeśli|dlaczego',
    references: 'to|tego|temu|tym|nim|go|je',
  },
  cs: { openers: 'a|ale|také|nebo|a co|co když|proč', references: 'to|toho|tomu|tím|ho|jej|tam' },
  ro: { openers: 'și|si|dar|sau|ce zici de|și dacă|de ce', references: 'asta|aceasta|acesta|îl|o fac|acolo' },
  hu: {
    openers: 'és|de|vagy|mi van ha|és ha|miért',
    references: 'ezt|azt|ez|az|ott|ennek|annak|ezzel|azzal',
  },
  ru: {
    openers: 'а|и|но|также|или|а если|а как насчет|что если|почему',
    references: 'это|этого|этому|этим|его|ее|их|ним|там|туда',
  },
  uk: {
    openers: 'а|і|й|але|також|або|а якщо|що якщо|чому',
    references: 'це|цього|цьому|цим|його|її|їх|ним|там',
  },
  el: {
    openers: 'και|αλλά|επίσης|ή|τι γίνεται με|και αν|γιατί',
    references: 'αυτό|αυτά|αυτή|αυτού|το κάνω|εκεί',
  },
  tr: {
    openers: 've|ama|ayrıca|veya|peki|peki ya|ya|neden',
    references: 'bunu|onu|bu|o|bunun|onun|bunlar|orada',
  },
  ar: { openers: 'و|لكن|أيضا|أو|ماذا عن|ماذا لو|وماذا|لماذا', references: 'ذلك|هذا|هذه|تلك|هناك|به|بها' },
  he: { openers: 'ו|אבל|גם|או|מה לגבי|ומה|ומה אם|מה אם|למה', references: 'זה|זאת|אותו|אותה|אותם|שם|את זה' },
  fa: { openers: 'و|اما|همچنین|یا|پس|اگر|چرا', references: 'این|آن|اینها|آنها|آنجا' },
  hi: { openers: 'और|लेकिन|या|अगर|क्यों|तो', references: 'यह|ये|वह|वो|इसे|उसे|इसको|उसको|इसका|उसका|वहाँ' },
  bn: { openers: 'আর|এবং|কিন্তু|অথবা|যদি|কেন', references: 'এটা|এটি|ওটা|সেটা|এটাকে|সেটি' },
  id: {
    openers: 'dan|tapi|juga|atau|bagaimana dengan|bagaimana jika|kenapa',
    references: 'itu|ini|nya|tersebut',
  },
  vi: {
    openers: 'và|nhưng|còn|hoặc|thế còn|nếu|tại sao',
    references: 'nó|đó|cái đó|điều đó|cái này|điều này',
  },
};

/** The same for scripts without spaces: openers at the start of a message, references anywhere. */
const UNSPACED_OPENERS = /^(?:那么|那麼|那|还有|還有|如果|但是|而|では|じゃあ|それで|もし|あと|แล้ว|และ|ถ้า)/u;
const UNSPACED_REFERENCES =
  /它|这个|這個|那个|那個|这样|這樣|那样|那樣|それ|これ|その|あれ|そこ|มัน|อันนั้น|สิ่งนั้น|นั้น|그것|그거|그걸|이것|이거|이걸|그건|거기/u;

const OPENERS = new Set(Object.values(WORDS).flatMap(({ openers }) => openers.split('|')));
const REFERENCES = new Map(
  Object.entries(WORDS).map(([language, { references }]) => [language, new Set(references.split('|'))]),
);
const FINALS = new Map(
  Object.entries(WORDS).map(([language, { finals = '' }]) => [language, new Set(finals.split('|'))]),
);
const OPENER_WORDS_MAX = 4;

/** Maximum words of a message in which references count; longer messages name their subject. */
const REFERRING_WORDS_MAX = 12;
/** Minimum words of a complete message; shorter messages may continue the conversation. */
const COMPLETE_WORDS_MIN = 3;

export function classifyDependence(text: string, language: string): Dependence {
  const normalized = normalize(text);
  const words = normalized.split(' ').filter((word) => word !== '' && word !== CLAUSE_END);
  const isUnspaced = hasUnspacedLetters(text);
  if (isUnspaced && text.length <= 40 && UNSPACED_REFERENCES.test(text)) return 'refers';
  if (words.length <= REFERRING_WORDS_MAX && refersBack(normalized, language)) return 'refers';
  if (isUnspaced)
    return UNSPACED_OPENERS.test(text.trim()) || text.trim().length <= 6 ? 'continues' : 'independent';
  for (let count = 1; count <= Math.min(OPENER_WORDS_MAX, words.length); count += 1) {
    if (OPENERS.has(words.slice(0, count).join(' '))) return 'continues';
  }
  return words.length < COMPLETE_WORDS_MIN ? 'continues' : 'independent';
}

const CLAUSE_END = '.';

/** Returns the text in lower case, with single spaces between words and clause ends. */
function normalize(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[.,;:!?…¿¡؟،。]+/gu, ` ${CLAUSE_END} `)
    .replace(/[^\p{L}\p{M}\p{N}.]+/gu, ' ')
    .trim();
}

function refersBack(normalized: string, language: string): boolean {
  const references = REFERENCES.get(language);
  const finals = FINALS.get(language);
  const words = normalized.split(' ');
  return words.some((word, at) => {
    const pair = `${word} ${words[at + 1] ?? ''}`;
    const isFinal = words[at + 1] === undefined || words[at + 1] === CLAUSE_END;
    return references?.has(word) || references?.has(pair) || (isFinal && finals?.has(word));
  });
}

const CONTEXT_QUESTIONS_MAX = 3;

/**
 * Returns the questions from the one that named the subject on, and the articles of the last answer that cited any. Undefined before
 * the first question.
 */
export function summarizeConversation(
  turns: readonly ConversationTurn[],
  isSmallTalk: (text: string) => boolean,
  detectLanguage: (text: string) => string,
): SearchContext | undefined {
  const questions: string[] = [];
  for (const { question } of turns.toReversed()) {
    if (isSmallTalk(question)) continue;
    questions.push(question);
    const isComplete = classifyDependence(question, detectLanguage(question)) === 'independent';
    if (isComplete || questions.length === CONTEXT_QUESTIONS_MAX) break;
  }
  if (questions.length === 0) return undefined;
  const articleIds = turns.findLast((turn) => turn.articleIds.length > 0)?.articleIds ?? [];
  return { text: questions.join('\n'), articleIds };
}
