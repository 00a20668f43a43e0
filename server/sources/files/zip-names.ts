import iconv from 'iconv-lite';
import { getFileNameLowLevel } from 'yauzl';
import { getLanguage } from '../../base/text.ts';
import { decodeUtf8 } from '../../knowledge/import/article-input.ts';

/** Decodes the names of files in a zip, whose encoding most programs do not state. */

/** What a zip says about the name of a file. */
type RawName = {
  generalPurposeBitFlag: number;
  fileNameRaw: Buffer;
  extraFields: { id: number; data: Buffer }[];
};

/** The code pages that Windows uses for names in zips, by language; those of other languages are western. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  cp932: 'ja',
  cp936: 'zh',
  cp949: 'ko',
  cp852: 'pl cs sk sl hu hr ro bs sq',
  cp866: 'ru uk bg be mk sr',
  cp737: 'el',
  cp857: 'tr az',
  cp862: 'he yi',
  cp720: 'ar fa ur',
  cp775: 'lv lt et',
  cp874: 'th',
  cp850: 'de fr es it pt nl sv da nb nn no fi is ca',
};
const TRADITIONAL = /-(?:hant|tw|hk|mo)\b/i;

/** Whether a name needs its language to be read. */
export const isAmbiguous = (name: RawName) =>
  name.fileNameRaw.some((byte) => byte >= 0x80) &&
  readStated(name) === undefined &&
  decodeUtf8(name.fileNameRaw) === undefined;

/** Bytes that are valid UTF-8 are UTF-8, whatever the zip says. Accents are joined with their letters. */
export function decodeName(name: RawName, locale: string | undefined): string {
  const { fileNameRaw } = name;
  const text = readStated(name) ?? decodeUtf8(fileNameRaw) ?? iconv.decode(fileNameRaw, findCodePage(locale));
  return text.normalize('NFC').replaceAll('\\\\', '/');
}

/** The name that a field of the zip states as Unicode. */
function readStated({ generalPurposeBitFlag, fileNameRaw, extraFields }: RawName): string | undefined {
  const plain = getFileNameLowLevel(0, fileNameRaw, [], false);
  const stated = getFileNameLowLevel(generalPurposeBitFlag & ~UTF8_FLAG, fileNameRaw, extraFields, false);
  return stated === plain ? undefined : stated;
}

const UTF8_FLAG = 0x800;

function findCodePage(locale = 'en'): string {
  if (TRADITIONAL.test(locale)) return 'cp950';
  const language = getLanguage(locale);
  const found = Object.entries(CODE_PAGES).find(([, languages]) => languages.split(' ').includes(language));
  return found?.[0] ?? 'cp437';
}
