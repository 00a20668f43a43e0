import type { KnownConversation } from '../sdk/visitor-storage.ts';
import { button, element } from './element.ts';
import type { Texts } from './language.ts';

type ConversationListDeps = {
  readonly conversations: readonly KnownConversation[];
  readonly currentId: string | undefined;
  readonly texts: Texts;
  readonly onSelect: (conversationId: string) => void;
  readonly onBack: () => unknown;
};

/** The visitor's own conversations, the newest first, named by their first question. */
export function createConversationList(deps: ConversationListDeps): HTMLElement {
  const { texts, onSelect, onBack } = deps;
  const heading = element('h3', { id: 'conversations-title', tabindex: -1 }, texts.conversations);
  const items = deps.conversations.map(({ conversationId, title }) => {
    const item = button(title, { class: 'conversation' }, () => onSelect(conversationId));
    item.dir = 'auto';
    if (conversationId === deps.currentId) item.setAttribute('aria-current', 'true');
    return element('li', {}, item);
  });
  return element(
    'section',
    { class: 'passage', 'aria-labelledby': heading.id },
    button(texts.back, { class: 'quiet back' }, onBack),
    heading,
    element('ul', { class: 'conversations' }, ...items),
  );
}
