import type { Contact } from '../../generated/types.ts';
import { element } from './element.ts';
import type { Texts } from './language.ts';
import { NEW_TAB } from './sources.ts';

/** Whether the text of an answer contains the contact already. */
export const namesContact = (text: string, contact: Contact) =>
  Object.values(contact).some((way) => way !== undefined && text.includes(way));

/** Links to reach a person; undefined when none of them is safe to open. */
export function createContactLinks({ email, phone, url }: Contact, texts: Texts): HTMLElement | undefined {
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
