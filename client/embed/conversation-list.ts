import type { KnownConversation } from '../sdk/visitor-storage.ts';
import { addAll, button, element } from './element.ts';
import type { Localization } from './language.ts';
import { createView } from './views.ts';

type ConversationListDeps = {
  conversations: readonly KnownConversation[];
  currentId: string | undefined;
  localization: Localization;
  onSelect: (conversationId: string) => void;
  onBack: () => unknown;
};

/** Lists the visitor's conversations by their first question, and when each was last active. */
export function createConversationList(deps: ConversationListDeps): HTMLElement {
  const { localization, onSelect, onBack } = deps;
  const { texts, locale } = localization;
  const items = deps.conversations.map(({ conversationId, title, activeAt }) => {
    const item = button('', { class: 'conversation' }, () => onSelect(conversationId));
    addAll(item, element('span', { dir: 'auto' }, title), createTime(new Date(activeAt), locale));
    if (conversationId === deps.currentId) item.setAttribute('aria-current', 'true');
    return element('li', {}, item);
  });
  const heading = element('h3', {}, texts.conversations);
  return createView(heading, texts, onBack, element('ul', { class: 'conversations' }, ...items));
}

/** Shows the time of a moment if it is today, otherwise its day. */
function createTime(moment: Date, locale: string): HTMLElement {
  const isToday = moment.toDateString() === new Date().toDateString();
  const text = moment.toLocaleString(locale, isToday ? { timeStyle: 'short' } : { dateStyle: 'medium' });
  return element('time', { class: 'note', datetime: moment.toISOString() }, text);
}
