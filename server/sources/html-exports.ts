import {
  type Element,
  findElement,
  getAttribute,
  getClasses,
  getText,
  getWords,
  isTag,
  type Root,
  removeElements,
  walkElements,
} from './html-tree.ts';

/** Removes what exports of other programs add around a text: who wrote it and when, attachments, comments, offers to share it. */

const NAMES =
  /(?:^|[\s_-])(?:by-?line|posted-(?:on|by)|published-(?:on|date)|entry-(?:meta|footer|date|author)|post-(?:meta|author|date|footer|navigation|tags|categories)|article-(?:meta|author|date)|page-metadata|meta-?data|author-(?:box|bio|info|meta|name)|wp-block-post-(?:author|date|terms|navigation-link)\w*|wp-block-(?:comments|social-links)\w*|sharedaddy|sd-sharing|jp-relatedposts|related-(?:posts|articles)|addtoany\w*|a2a_kit|share-?(?:this|bar|post)|sharethis|comments?-(?:area|list|respond|section|form)|likes-and-labels\w*|labels-section|greybox|nav-links|read-time|reading-time|last-(?:updated|modified)|was-this-helpful|article-votes|feedback|page-header-icon)(?=$|[\s_-])/i;
const IDS =
  /^(?:attachments|comments|respond|footer|header|footer-logo|breadcrumb-section|likes-and-labels-container|disqus_thread|banners|publish-banner)$/i;
const WORD_STYLE = /mso-element\s*:\s*(?:comment|header|footer)|mso-special-character\s*:\s*comment/i;
const WORD_CLASS = /(?:^|\s)(?:MsoToc\d|MsoTocHeading|MsoHeader|MsoFooter|MsoComment\w*)(?=$|\s)/;

export function removeExportParts(root: Root): void {
  const body = findElement(root, (element) => isTag(element, 'body'));
  if (body && /(?:^|\s)doc-content(?=$|\s)/.test(getClasses(body))) removeEdges(body);
  removeElements(root, (element, ancestors) => {
    if (
      isTag(element, 'html', 'body', 'main', 'article', 'pre', 'code') ||
      ancestors.some((each) => isTag(each, 'pre', 'code'))
    )
      return false;
    if (isTag(element, 'a', 'span', 'sup') && isCommentLink(element)) return true;
    if (WORD_CLASS.test(getClasses(element)) || WORD_STYLE.test(getAttribute(element, 'style') ?? ''))
      return true;
    if (isNotionProperties(element) || isCommentOfDocs(element) || isAttachments(element)) return true;
    return isAround(element, () => getText(root).length) || isAuthor(element);
  });
}

/** Removes the header and the footer of a document of Google Docs. */
function removeEdges(body: Element): void {
  const parts = body.children.filter((child) => child.type === 'element');
  const isNote = (part: Element) =>
    findElement(part, (each) => /^(?:cmnt|ftnt)\d/.test(getAttribute(each, 'id') ?? '')) !== undefined;
  const edges = [parts[0], parts.at(-1)].filter((part) => part && isTag(part, 'div') && !isNote(part));
  body.children = body.children.filter((child) => !edges.includes(child as Element));
}

const RAISED_CLASS = /\.([\w-]+)\s*\{[^{}]*vertical-align\s*:\s*(super|sub)\b/gi;
const RAISED_STYLE = /(?:^|;)\s*vertical-align\s*:\s*(super|sub)\b/i;

/** Marks text that a style raises or lowers, as Google Docs does, with the elements for it. */
export function raiseText(root: Root): void {
  const tags: Readonly<Record<string, string>> = { super: 'sup', sub: 'sub' };
  const classes = new Map<string, string>();
  const elements = [...walkElements(root)];
  for (const style of elements.filter((element) => isTag(element, 'style')))
    for (const [, name, place] of getText(style).matchAll(RAISED_CLASS))
      classes.set(name!, place!.toLowerCase());
  for (const element of elements.filter((each) => isTag(each, 'span'))) {
    const named = getClasses(element)
      .split(/\s+/)
      .map((name) => classes.get(name))
      .find(Boolean);
    const place = RAISED_STYLE.exec(getAttribute(element, 'style') ?? '')?.[1]?.toLowerCase() ?? named;
    if (place) element.tagName = tags[place]!;
  }
}

/** Parts of this share of a page are its text, whatever they are called. */
const SHARE_MAX = 0.3;
const SMALL_CHARS = 300;

function isAround(element: Element, measure: () => number): boolean {
  const classes = getClasses(element);
  if (/^h[1-6]$/.test(element.tagName) || /(?:^|\s)section(?=$|\s)/.test(classes)) return false;
  const isNamed =
    NAMES.test(classes) ||
    (isTag(element, 'div', 'footer', 'aside') && IDS.test(getAttribute(element, 'id') ?? ''));
  if (!isNamed || findElement(element, (each) => isTag(each, 'h1', 'main', 'article'))) return false;
  return (
    /comment|respond|disqus/i.test(`${classes} ${getAttribute(element, 'id') ?? ''}`) ||
    getText(element).length < Math.max(SMALL_CHARS, SHARE_MAX * measure())
  );
}

/** What an export says about a page: the fields of Notion, and whether WordPress asks for a password. */
export function readProperties(root: Root): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const element of walkElements(root)) {
    if (isTag(element, 'form') && /\bpost-password-form\b/.test(getClasses(element)))
      fields.visibility = 'password';
    if (!isNotionProperties(element)) continue;
    for (const row of walkElements(element)) {
      if (!isTag(row, 'tr')) continue;
      const [name, value] = ['th', 'td'].map((tag) => findElement(row, (each) => isTag(each, tag)));
      if (name && value) fields[getWords(name)] = getWords(value);
    }
  }
  return fields;
}

const isNotionProperties = (element: Element) =>
  isTag(element, 'table') && /(?:^|\s)properties(?=$|\s)/.test(getClasses(element));

/** Comments of Google Docs, and the marks that lead to them. */
const isCommentLink = (element: Element) => {
  const link = isTag(element, 'a') ? element : findElement(element, (each) => isTag(each, 'a'));
  return (
    link !== undefined &&
    /^#cmnt\d/.test(getAttribute(link, 'href') ?? '') &&
    getWords(element) === getWords(link)
  );
};

const isCommentOfDocs = (element: Element) =>
  isTag(element, 'div') &&
  findElement(element, (each) => /^cmnt\d/.test(getAttribute(each, 'id') ?? '')) !== undefined &&
  element.children.every((child) => child.type !== 'element' || isTag(child, 'p', 'ul', 'ol'));

/** The list of attachments that Confluence appends to a page. */
const isAttachments = (element: Element) =>
  /(?:^|\s)pageSection(?=$|\s)/.test(getClasses(element)) &&
  findElement(element, (each) =>
    /^(?:attachments|comments|labels|children)$/i.test(getAttribute(each, 'id') ?? ''),
  ) !== undefined;

const isAuthor = (element: Element) =>
  isTag(element, 'address', 'p', 'span', 'div') &&
  getWords(element).length < 120 &&
  (/(?:^|\s)author(?=$|\s)/.test(getClasses(element)) ||
    getAttribute(element, 'itemProp') === 'author' ||
    (isTag(element, 'address', 'p', 'span') &&
      findElement(element, (each) => getAttribute(each, 'rel') === 'author') !== undefined));
