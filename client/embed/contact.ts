import type { Contact } from '../../generated/types.ts';
import { createArea } from './choices.ts';
import { element, NEW_TAB } from './element.ts';
import type { Texts } from './language.ts';

/** Ways to reach a person. */

/** True when the text of an answer already contains the contact. */
export const namesContact = (text: string, contact: Contact) =>
  listWays(contact).some((way) => text.includes(way));

const listWays = (contact: Contact) => Object.values(contact).filter((way) => typeof way === 'string');

/** Replaces the contact at the end of a paragraph by links. Returns false when no paragraph ends with the contact. */
export function placeContact(body: HTMLElement, contact: Contact, texts: Texts): boolean {
  const paragraph = Array.from(body.querySelectorAll('p')).find(({ textContent }) =>
    namesContact(textContent ?? '', contact),
  );
  const links = createContactLinks(contact, texts);
  const ways = listWays(contact);
  // An address that is not safe to open stays as text.
  if (!paragraph || links?.childElementCount !== ways.length) return false;
  const text = paragraph.textContent ?? '';
  const start = Math.min(...ways.map((way) => text.indexOf(way)).filter((at) => at >= 0));
  const remainder = ways.reduce((unmatched, way) => unmatched.replace(way, ''), text.slice(start));
  if (!/^[\s\p{P}\p{Cf}]*$/u.test(remainder)) return false;
  paragraph.textContent = text.slice(0, start).trim();
  paragraph.hidden = paragraph.textContent === '';
  links.classList.add('ways');
  paragraph.after(links);
  return true;
}

/** Lists ways to reach a person; undefined when none of them is safe to open. */
export function createContactArea(contact: Contact, texts: Texts): HTMLElement | undefined {
  const links = createContactLinks(contact, texts);
  if (!links) return undefined;
  const area = createArea(texts.contact, links);
  area.classList.add('contact');
  area.hidden = false;
  return area;
}

function createContactLinks({ email, phone, url }: Contact, texts: Texts): HTMLElement | undefined {
  const links = [
    email && createLink(`mailto:${email}`, email),
    phone && createLink(`tel:${phone.replaceAll(' ', '')}`, phone),
    url && isSecure(url) && createLink(url, texts.contactPage, NEW_TAB),
  ].filter((link) => link instanceof HTMLElement);
  return links.length > 0 ? element('ul', { class: 'choices' }, ...links) : undefined;
}

const createLink = (href: string, text: string, attributes = {}) =>
  element('li', {}, element('a', { class: 'way', href, ...attributes }, element('bdi', {}, text)));

const isSecure = (url: string) => URL.canParse(url) && new URL(url).protocol === 'https:';
