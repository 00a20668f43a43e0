import { readHtml } from '../html.ts';
import { type Content, type OpenedFile, RefusedFile } from './reader.ts';
import { decodeText, toTitle } from './text.ts';

/** Reads the main content of a page that was saved. Its canonical link is the address of the article. */
export function readHtmlFile({ place, bytes, parsedPath, sourceLocale, address }: OpenedFile): Content {
  const page = readHtml(decodeText(bytes), {
    sourceLocale,
    url: address,
    fallbackTitle: toTitle(parsedPath.slug),
  });
  if ('reason' in page) throw new RefusedFile(page.reason, page.detail);
  const { title, answer, locale, canonical } = page;
  const document = {
    ...{ place, title, answer },
    article: parsedPath.slug,
    locale: parsedPath.locale ?? locale,
    aliases: [],
    ...(canonical === undefined ? {} : { url: canonical }),
  };
  return { documents: [document], refusals: [] };
}
