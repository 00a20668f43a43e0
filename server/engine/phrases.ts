/** What the embedded engine says in its own words, by language. Everything else that it says is quoted. */
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

export function phrasesFor(locale: string): Phrases {
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

/** What is said where a model refuses without a word. */
export function refusedPhrase(locale: string): string {
  return REFUSED[locale.split('-', 1)[0]!.toLowerCase()] ?? REFUSED.en!;
}
