import { getPhrases } from '../../base/guide-languages.ts';
import type { Contact } from '../../storage/workspace-settings.ts';
import type { Intent } from './intents.ts';

type ReplyContext = {
  /** Titles of the workspace's articles. */
  topics: readonly string[];
  contact?: Contact;
  /** Whether visitors can send a message to a person. */
  takesHandovers?: boolean | undefined;
  /** The visitor's page, if the guide may read it. */
  page?: { title: string; digest: string };
  workspaceName: string;
};

const TOPICS_MAX = 3;

/** Builds the guide's reply to a message that is no question for the articles. */
export function buildReply(intent: Intent, language: string, context: ReplyContext): { text: string } {
  const phrases = getPhrases(language);
  const contact = context.contact ? [formatContact(context.contact, language)] : [];
  const topics = formatList(phrases.topics, context.topics.slice(0, TOPICS_MAX));
  const parts: Readonly<Record<Intent, readonly string[]>> = {
    greeting: [phrases.greeting, ...topics],
    thanks: [phrases.thanks],
    goodbye: [phrases.goodbye],
    praise: [phrases.praise],
    complaint: [phrases.complaint, ...contact],
    abuse: [phrases.abuse, ...contact],
    identity: [phrases.identity],
    capabilities: [fill(phrases.capabilities, 'name', context.workspaceName), ...topics],
    person:
      contact.length > 0 || context.takesHandovers
        ? [phrases.person, ...contact]
        : [phrases.personUnavailable],
    page: [...describePage(language, context), ...topics],
    gibberish: [phrases.gibberish, ...topics],
    order: [phrases.order, ...topics],
  };
  return { text: parts[intent].join('\n\n') };
}

/** Returns a sentence on how to reach a person. It ends with the contact, so that no full stop sticks to a link. */
export function formatContact({ email, phone, url }: Contact, language: string): string {
  const ways = [email, phone, url].filter((way) => way !== undefined);
  return fill(getPhrases(language).contact, 'contact', ways.join(' · '));
}

const fill = (phrase: string, name: string, value: string) => phrase.replace(`{${name}}`, () => value);

function formatList(introduction: string, items: readonly string[]): string[] {
  return items.length === 0 ? [] : [[introduction, ...items.map((item) => `• ${item}`)].join('\n')];
}

const HEADINGS_MAX = 4;
const HEADING = /^h[1-4] (.+?)(?: \([^()]*\))?$/;

/** Names the page and the headings that its digest lists. */
function describePage(language: string, { page }: ReplyContext): string[] {
  const phrases = getPhrases(language);
  if (!page || page.title.trim() === '') return [phrases.pageUnknown];
  const headings = page.digest.split('\n').flatMap((line) => HEADING.exec(line.trim())?.[1] ?? []);
  const others = [...new Set(headings)].filter((heading) => heading !== page.title);
  return [
    fill(phrases.page, 'title', page.title),
    ...formatList(phrases.pageParts, others.slice(0, HEADINGS_MAX)),
  ];
}
