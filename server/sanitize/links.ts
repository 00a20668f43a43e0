/** Whether a word without blanks is something that a client may turn into a link. */

/** Schemes that lead somewhere or run something without two slashes. */
const BARE_SCHEME =
  /(?:^|[^a-z0-9])(?:javascript|vbscript|data|file|blob|mailto|tel|sms|intent|view-source|magnet|skype|whatsapp):\S/;
const HOST =
  /(?<![\p{L}\p{N}_.-])(?:[\p{L}\p{N}_-]{1,63}\.){1,20}(?<last>\p{L}{2,24}|xn--[a-z0-9-]{2,59})(?![\p{L}\p{N}_-])(?<next>\.?[/?#]|\.?:\d)?/gu;

/** What a file name ends with; not a host though a slash or a mark follows. */
const FILE_ENDINGS = new Set(
  'html htm php asp aspx jsp json js mjs cjs ts tsx jsx css scss md txt log conf cfg ini list service yaml yml xml csv tsv png jpg jpeg gif svg webp pdf doc docx xls xlsx exe dll msi deb rpm dmg zip gz bz2 xz tar iso bin bat cmd ps1 java class jar go rb lua sql db bak tmp lock toml env d local'.split(
    ' ',
  ),
);

/** Endings that make a host even of a bare name. Two letters count too, but for these words and file endings. */
const HOST_ENDINGS = new Set(
  'com net org info biz edu gov mil int app dev xyz top site online shop store club live link click page cloud tech test example invalid onion space website host press news blog web icu pro mobi asia work world today zone digital agency network systems solutions support help chat email money bank finance loan win bid vip fun gdn men party review science stream trade download racing date faith cricket accountant zip mov'.split(
    ' ',
  ),
);
const TWO_LETTER_WORDS = new Set(
  'ab ad ag al am an ap as at ba be by cc co da de do du el em en er es et ex ff fi fo go gs gt ha he hi hm ho hr hs id if il im in is it ja je js ki la le li lo lt ma md me mi ml mm mo ms mt my na ne ni no nu od of oh ok om on or os ou pa pi pl po pp pr ps pt py qt ra rb re ro rs sa sc se sh si so st su ta te th to tr ts tt tu ua um un up us ut va ve vi vs we wo xx ya ye yo za ze zu'.split(
    ' ',
  ),
);

export function isLinkLike(word: string): boolean {
  const text = plainly(word);
  if (/\/\/+[^\s/]/.test(text) || BARE_SCHEME.test(text) || /(?:^|[^a-z0-9-])www\d{0,3}\.[^\s.]/.test(text))
    return true;
  if (/@(?:[\p{L}\p{N}_-]{1,63}\.){1,20}[\p{L}-]{2,}/u.test(text)) return true;
  for (const { groups } of text.matchAll(HOST)) {
    const { last = '', next } = groups ?? {};
    if (next === undefined ? isHostEnding(last) : !FILE_ENDINGS.has(last)) return true;
  }
  return false;
}

function isHostEnding(last: string): boolean {
  if (last.startsWith('xn--') || HOST_ENDINGS.has(last)) return true;
  if (last === 'рф' || last === '中国' || last === 'ru' || last === 'cn') return true;
  return /^[a-z]{2}$/.test(last) && !TWO_LETTER_WORDS.has(last) && !FILE_ENDINGS.has(last);
}

const NAMED_CHARACTERS: Readonly<Record<string, string>> = {
  colon: ':',
  sol: '/',
  bsol: '/',
  period: '.',
  commat: '@',
  amp: '&',
};

/** As a browser or a renderer would read it: full-width letters, entities and backslashes resolved, in small letters. */
function plainly(word: string): string {
  return word
    .normalize('NFKC')
    .replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|([a-z]{2,8}));?/gi, (entity, decimal, hex, name) => {
      if (name) return NAMED_CHARACTERS[name.toLowerCase()] ?? entity;
      const code = decimal ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : entity;
    })
    .replace(/\\/g, '/')
    .toLowerCase();
}
