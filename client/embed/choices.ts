import { button, element } from './element.ts';

/** Questions that a visitor asks with one click. */

export type Suggestion = { title: string; message: string };
type OnAsk = (message: string) => void;

export function createSuggestions(title: string, items: readonly Suggestion[], onAsk: OnAsk): HTMLElement {
  const choices = items.map((item) => element('li', {}, createSuggestion(item, onAsk)));
  const suggestions = createArea(title, element('ul', { class: 'choices' }, ...choices));
  suggestions.classList.add('suggestions');
  suggestions.hidden = items.length === 0;
  return suggestions;
}

function createSuggestion({ title, message }: Suggestion, onAsk: OnAsk): HTMLElement {
  const choice = button(title, { class: 'suggestion' }, () => onAsk(message));
  choice.dir = 'auto';
  return choice;
}

/** Makes suggestions clickable where the text lists them. Returns the suggestions that the text does not list. */
export function placeSuggestions(
  body: HTMLElement,
  items: readonly Suggestion[],
  onAsk: OnAsk,
): Suggestion[] {
  const lines = Array.from(body.querySelectorAll('li'));
  return items.filter((item) => {
    const line = lines.find(({ textContent }) => textContent?.trim() === item.title);
    line?.replaceChildren(createSuggestion(item, onAsk));
    line?.parentElement?.classList.add('choices');
    line?.parentElement?.removeAttribute('dir');
    return !line;
  });
}

export function createArea(title: string, content: HTMLElement): HTMLElement {
  return element('div', { class: 'area', hidden: true }, element('h3', {}, title), content);
}
