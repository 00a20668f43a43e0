/** Computes the numbers that Word shows before paragraphs, which a document does not contain. */

type Level = { start: number; format: string; text: string; restart: number | undefined; style?: string };
type AbstractList = { id: string; levels: ReadonlyMap<number, Level>; link?: string };
type List = { abstractId: string; starts: ReadonlyMap<number, number>; levels: ReadonlyMap<number, Level> };

type Numbering = { abstracts: ReadonlyMap<string, AbstractList>; lists: ReadonlyMap<string, List> };
type StyleNumbering = { list?: string; level?: number; basedOn?: string };

const LEVELS_MAX = 9;

const getValue = (xml: string, name: string) =>
  new RegExp(`<w:${name}\\b[^>]*?\\sw:val="([^"]*)"`).exec(xml)?.[1];
const getNumber = (xml: string, name: string) => {
  const text = getValue(xml, name);
  return text === undefined || Number.isNaN(Number(text)) ? undefined : Number(text);
};

function* findElements(xml: string, name: string, key: string): Generator<[string, string]> {
  const pattern = new RegExp(
    `<w:${name}\\b[^>]*?\\sw:${key}="([^"]*)"[^>]*?(?:/>|>([\\s\\S]*?)</w:${name}>)`,
    'g',
  );
  for (const [, id, inner = ''] of xml.matchAll(pattern)) yield [id!, inner];
}

function readNumbering(xml: string): Numbering {
  const abstracts = new Map<string, AbstractList>();
  for (const [id, inner] of findElements(xml, 'abstractNum', 'abstractNumId'))
    abstracts.set(id, { id, levels: readLevels(inner), link: getValue(inner, 'numStyleLink') });
  const lists = new Map<string, List>();
  for (const [id, inner] of findElements(xml, 'num', 'numId')) {
    const starts = new Map<number, number>();
    for (const [level, override] of findElements(inner, 'lvlOverride', 'ilvl')) {
      const start = getNumber(override, 'startOverride');
      if (start !== undefined) starts.set(Number(level), start);
    }
    lists.set(id, { abstractId: getValue(inner, 'abstractNumId') ?? '', starts, levels: readLevels(inner) });
  }
  return { abstracts, lists };
}

function readLevels(xml: string): ReadonlyMap<number, Level> {
  const levels = new Map<number, Level>();
  for (const [level, inner] of findElements(xml, 'lvl', 'ilvl'))
    levels.set(Number(level), {
      start: getNumber(inner, 'start') ?? 1,
      format: getValue(inner, 'numFmt') ?? 'decimal',
      text: getValue(inner, 'lvlText') ?? `%${Number(level) + 1}.`,
      restart: getNumber(inner, 'lvlRestart'),
      style: getValue(inner, 'pStyle'),
    });
  return levels;
}

function readStyles(xml: string): ReadonlyMap<string, StyleNumbering> {
  const styles = new Map<string, StyleNumbering>();
  for (const [id, inner] of findElements(xml, 'style', 'styleId'))
    styles.set(id, { ...readProperties(inner), basedOn: getValue(inner, 'basedOn') });
  return styles;
}

const readProperties = (xml: string): StyleNumbering => {
  const [numbering = ''] = /<w:numPr>[\s\S]*?<\/w:numPr>/.exec(xml) ?? [];
  return { list: getValue(numbering, 'numId'), level: getNumber(numbering, 'ilvl') };
};

/** Marks around a number, from the private area of Unicode. */
export const NUMBER_MARK = /\ue000([^\ue001]*)\ue001/;
const CHANGED = /<w:pPrChange\b[\s\S]*?<\/w:pPrChange>/g;

/** Writes its number before each numbered paragraph, between marks. */
export function writeNumbers(xml: string, numberingXml: string, stylesXml: string): string {
  const counter = new Counter(readNumbering(numberingXml), readStyles(stylesXml));
  return xml
    .replace(/[\ue000\ue001]/g, '')
    .replace(CHANGED, '')
    .replace(/<w:pPr>[\s\S]*?<\/w:pPr>/g, (properties) => {
      const label = counter.count(properties);
      return label === undefined
        ? properties
        : `${properties}<w:r><w:t>\ue000${label.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}\ue001</w:t></w:r>`;
    });
}

class Counter {
  readonly #numbering: Numbering;
  readonly #styles: ReadonlyMap<string, StyleNumbering>;
  /** The numbers that lists of the same kind share, by level. */
  readonly #counts = new Map<string, (number | undefined)[]>();
  readonly #begun = new Set<string>();

  constructor(numbering: Numbering, styles: ReadonlyMap<string, StyleNumbering>) {
    this.#numbering = numbering;
    this.#styles = styles;
  }

  /** Returns the label of the next paragraph; undefined if it has none. */
  count(properties: string): string | undefined {
    const found = this.#findList(properties);
    if (!found) return undefined;
    const { id, list, abstract, at } = found;
    const counts = this.#counts.get(abstract.id) ?? [];
    this.#counts.set(abstract.id, counts);
    const getLevel = (level: number) => list.levels.get(level) ?? abstract.levels.get(level);
    const own = getLevel(at);
    if (!own) return undefined;
    const start = list.starts.get(at);
    if (start !== undefined && !this.#begun.has(`${id} ${at}`)) counts[at] = start;
    else counts[at] = counts[at] === undefined ? own.start : counts[at] + 1;
    this.#begun.add(`${id} ${at}`);
    for (let deeper = at + 1; deeper < LEVELS_MAX; deeper += 1) {
      const restart = getLevel(deeper)?.restart;
      if (restart !== 0 && (restart === undefined || at < restart)) counts[deeper] = undefined;
    }
    if (own.format === 'bullet' || own.format === 'none') return undefined;
    return own.text.replace(/%(\d)/g, (_, digit: string) => {
      const level = Number(digit) - 1;
      return formatNumber(counts[level] ?? getLevel(level)?.start ?? 1, getLevel(level)?.format ?? 'decimal');
    });
  }

  #findList(properties: string) {
    const { abstracts, lists } = this.#numbering;
    const style = getValue(properties, 'pStyle');
    const own = readProperties(properties);
    const inherited = style === undefined ? {} : this.#inherit(style);
    const id = own.list ?? inherited.list ?? '0';
    const list = lists.get(id);
    const abstract = list && this.#follow(abstracts.get(list.abstractId));
    if (!list || !abstract) return undefined;
    const styled = [...abstract.levels].find(
      ([, level]) => style !== undefined && level.style === style,
    )?.[0];
    return { id, list, abstract, at: own.level ?? styled ?? inherited.level ?? 0 };
  }

  #inherit(style: string): StyleNumbering {
    let found: StyleNumbering = {};
    let next: string | undefined = style;
    for (let depth = 0; next !== undefined && depth < LEVELS_MAX; depth += 1) {
      const properties: StyleNumbering | undefined = this.#styles.get(next);
      found = { list: found.list ?? properties?.list, level: found.level ?? properties?.level };
      next = properties?.basedOn;
    }
    return found;
  }

  /** A list may take its levels from a style, which names another list. */
  #follow(abstract: AbstractList | undefined): AbstractList | undefined {
    if (!abstract?.link) return abstract;
    const list = this.#numbering.lists.get(this.#styles.get(abstract.link)?.list ?? '');
    return (list && this.#numbering.abstracts.get(list.abstractId)) ?? abstract;
  }
}

const ROMAN: readonly [number, string][] = [
  [1000, 'm'],
  [900, 'cm'],
  [500, 'd'],
  [400, 'cd'],
  [100, 'c'],
  [90, 'xc'],
  [50, 'l'],
  [40, 'xl'],
  [10, 'x'],
  [9, 'ix'],
  [5, 'v'],
  [4, 'iv'],
  [1, 'i'],
];

function toRoman(value: number): string {
  let rest = value;
  let text = '';
  for (const [size, letters] of ROMAN) for (; rest >= size; rest -= size) text += letters;
  return text;
}

/** 27 is `aa`, as Word counts. */
const toLetters = (value: number) =>
  String.fromCharCode(97 + ((value - 1) % 26)).repeat(Math.floor((value - 1) / 26) + 1);

function formatNumber(value: number, format: string): string {
  if (value < 1 || value > 5000) return String(value);
  switch (format) {
    case 'decimalZero':
      return String(value).padStart(2, '0');
    case 'lowerLetter':
      return toLetters(value);
    case 'upperLetter':
      return toLetters(value).toUpperCase();
    case 'lowerRoman':
      return toRoman(value);
    case 'upperRoman':
      return toRoman(value).toUpperCase();
    default:
      return String(value);
  }
}
