import { hasUnspacedLetters, normalizeForSearch, UNSPACED_LETTERS } from '../../text.ts';

/** A word of a message; a single character in scripts that do not separate words reliably. */
export type Word = {
  /** Normalized spellings; the first is as written, others without repeated letters ("helloooo"). */
  readonly forms: readonly string[];
  /** Start and end in the text, as UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Whether punctuation or a line break separates it from the word before. */
  readonly startsClause: boolean;
};

/** Longer messages are not small talk; the rest is not read. */
const WORDS_MAX = 400;

const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}\u200c]*(?:['’‘ʼ`´][\p{L}\p{M}]+)*/gu;
const CLAUSE_BREAK = /[.,;:!?…\n\r()。、，．！？；：؟،؛।~～\p{Extended_Pictographic}]|(?:^|\s)[-–—]+\s|—/u;
/** Quoted text is a mention, not an utterance. */
const QUOTED = /["“”„«»「」『』‹›<>/]/u;

export function readWords(text: string): Word[] {
  const words: Word[] = [];
  let previousEnd = 0;
  for (const { 0: written, index } of text.matchAll(WORD)) {
    const gap = text.slice(previousEnd, index);
    const startsClause = CLAUSE_BREAK.test(gap) && !QUOTED.test(gap);
    previousEnd = index + written.length;
    if (words.length >= WORDS_MAX) break;
    if (hasUnspacedLetters(written)) pushCharacters(words, written, index, startsClause);
    else pushSpaced(words, written, index, startsClause);
  }
  return words;
}

const APOSTROPHES = /['’‘ʼ`´]/g;
const normalize = (written: string) => normalizeForSearch(written.replace(APOSTROPHES, ''), 'und');

/** Splits words at zero-width non-joiners: the parts of Persian words are often written with a space instead. */
function pushSpaced(words: Word[], written: string, index: number, startsClause: boolean): void {
  let start = index;
  for (const part of written.split('\u200c')) {
    if (part !== '')
      words.push({
        forms: toForms(normalize(part)),
        start,
        end: start + part.length,
        startsClause: startsClause && start === index,
      });
    start += part.length + 1;
  }
}

const REPEATED = /(\p{L})\1{2,}/gu;

function toForms(word: string): string[] {
  if (!/(\p{L})\1\1/u.test(word)) return [word];
  return [word, word.replace(REPEATED, '$1'), word.replace(REPEATED, '$1$1')];
}

/** A Latin word in between stays whole; a character repeated three times or more counts once. */
function pushCharacters(words: Word[], written: string, index: number, startsClause: boolean): void {
  let [previous, repeats] = ['', 0];
  let start = index;
  for (const part of written.match(UNSPACED_PARTS) ?? []) {
    const form = normalize(part);
    repeats = form === previous ? repeats + 1 : 1;
    previous = form;
    const last = words.at(-1);
    if (repeats >= 3 && last) {
      if (repeats === 3) words.pop();
      const kept = words.pop()!;
      words.push({ ...kept, end: start + part.length });
    } else
      words.push({
        forms: toVariants(form),
        start,
        end: start + part.length,
        startsClause: startsClause && start === index,
      });
    start += part.length;
  }
}

/** Chinese patterns are written in simplified characters. */
function toVariants(character: string): string[] {
  const simplified = toSimplified(character);
  return simplified ? [character, simplified] : [character];
}

const UNSPACED_PARTS = new RegExp(`[${UNSPACED_LETTERS}]|[^${UNSPACED_LETTERS}]+`, 'gu');

/** Common characters in both scripts; the two strings have the same order. */
const TRADITIONAL =
  '瞭謝請問嗎這個麼還網頁說話對會幫聯繫應點開關們務員轉機電腦號誰時見從來辦發現讓過長給買賣錢訂單貨為與學實無後裡裏總結爛沒氣媽罵豬騙誤錯讚歡樂強聰厲貼優滿願聽講談專業經領導顧銷術場顯輸復複記憶規則題內設統詞隱啟碼級帳戶該寫詩編歲語煩廢殘滾閉賤雜種憤討厭認識試測盡臺體僅驚嚇詢諮絡換夠愛飯壞蓋東馬鳥訴舉報評費處覺終階圖畫紹釋釐簡嘍囉嗶慶環離譜謊謬聖誕節遲歸絕徹輯醫師龍狀態戲禮擾攪協溝連線繼續當資訊熱門動準確撥賬視變類職責負較櫃檯僕勞駕萬億啞劃毀麗親鍵竅險衛紅綠藍髒臟龜孫絲賊盜魯腳靈懶誠嚴陰陽邊進擊禦檢驗證隨遠選項貓駭爺擬裝偽繪劇論彙輕鬆餘預約';
const SIMPLIFIED =
  '了谢请问吗这个么还网页说话对会帮联系应点开关们务员转机电脑号谁时见从来办发现让过长给买卖钱订单货为与学实无后里里总结烂没气妈骂猪骗误错赞欢乐强聪厉贴优满愿听讲谈专业经领导顾销术场显输复复记忆规则题内设统词隐启码级帐户该写诗编岁语烦废残滚闭贱杂种愤讨厌认识试测尽台体仅惊吓询咨络换够爱饭坏盖东马鸟诉举报评费处觉终阶图画绍释厘简喽啰哔庆环离谱谎谬圣诞节迟归绝彻辑医师龙状态戏礼扰搅协沟连线继续当资讯热门动准确拨账视变类职责负较柜台仆劳驾万亿哑划毁丽亲键窍险卫红绿蓝脏脏龟孙丝贼盗鲁脚灵懒诚严阴阳边进击御检验证随远选项猫骇爷拟装伪绘剧论汇轻松余预约';

/** Simplified characters that traditional texts have too. */
const SHARED = '了系里后台余准御松复仆划咨汇';

export const TRADITIONAL_ONLY = new RegExp(`[${TRADITIONAL}]`, 'u');
export const SIMPLIFIED_ONLY = new RegExp(
  `[${[...SIMPLIFIED].filter((each) => !SHARED.includes(each)).join('')}]`,
  'u',
);

const simplified = new Map([...TRADITIONAL].map((each, at) => [each, [...SIMPLIFIED][at]!]));

/** Returns the simplified form of a traditional character; undefined for other characters. */
const toSimplified = (character: string): string | undefined => simplified.get(character);
