import type { ChatEvent } from '../index.ts';
import type { Announcer } from './announcer.ts';
import { button, element } from './element.ts';
import type { Action, ActionOutcome } from './pointing.ts';
import { citationMarker, sourceEntry, textWithMarkers } from './sources.ts';
import { fill, type Wording } from './texts.ts';

export type Citation = Extract<ChatEvent, { type: 'citation' }>;

export type AnswerNeeds = {
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly canRate: boolean;
  readonly onAction: (action: Action, arrivedAtMillis: number) => ActionOutcome;
  readonly onRate: (messageId: string, rating: 'up' | 'down') => Promise<unknown>;
  readonly onAsk: (message: string) => void;
};

export type AnswerView = {
  readonly root: HTMLElement;
  readonly apply: (event: ChatEvent) => void;
  /** Ends the answer without its last event: with a sentence that says why and, where it can help, a button. */
  readonly breakOff: (sentence: string, retry?: () => void) => void;
  /** True once there is a word to read. */
  readonly hasText: () => boolean;
};

/** One answer as it grows: text with numbered markers, its sources, proposals, next steps, and a rating at the end. */
export function openAnswer(needs: AnswerNeeds): AnswerView {
  const { announcer, wording } = needs;
  const { texts, locale } = wording;
  const status = element('p', { class: 'status' }, texts.retrieving);
  const body = element('div', { class: 'text', dir: 'auto' });
  const sources = element('ol', { class: 'sources' });
  const sourceArea = area(texts.sources, sources);
  const actions = element('div', { class: 'actions' });
  const actionArea = area(texts.onThisPage, actions);
  const after = element('div', { class: 'after' });
  const root = element(
    'div',
    { class: 'answer' },
    element('span', { class: 'unseen' }, texts.answer),
    status,
    body,
    sourceArea,
    actionArea,
    after,
  );

  let text = '';
  let messageId = '';
  let citations: Citation[] = [];
  let reader = announcer.follow(locale);
  let drawing = 0;

  function draw(): void {
    cancelAnimationFrame(drawing);
    drawing = 0;
    body.replaceChildren(...textWithMarkers(text, citations, (citation) => marker(citation)));
    reader.grow(text);
  }

  function marker(citation: Citation): HTMLElement {
    return citationMarker(citation, texts, () => {
      const entry = Array.from(sources.children).find((item) => item.id === `source-${citation.citation_id}`);
      (entry as HTMLElement | undefined)?.focus();
    });
  }

  function begin(): void {
    text = '';
    citations = [];
    reader = announcer.follow(locale);
    for (const part of [body, sources, actions, after]) part.replaceChildren();
    sourceArea.hidden = actionArea.hidden = true;
  }

  function end(): void {
    draw();
    reader.end();
    status.remove();
  }

  function addCitation(citation: Citation): void {
    citations.push(citation);
    // The text is in the language of what it quotes, which need not be the one that was asked for.
    body.lang = citation.content_locale;
    sources.append(sourceEntry(citation, text, wording));
    sourceArea.hidden = false;
  }

  function addAction(action: Action): void {
    const arrivedAtMillis = Date.now();
    const result = element('p', { class: 'note' });
    const name = action.target?.label ?? '';
    // A label that only repeats the name of the target does not say what the button does.
    const label = action.label === name ? fill(texts.show, { label: name }) : action.label;
    const act = button(label, { class: 'action' }, () => {
      const outcome = needs.onAction(action, arrivedAtMillis);
      const sentence = {
        done: texts.shown,
        target_missing: texts.missing,
        failed: texts.failed,
        expired: texts.expired,
      }[outcome];
      result.textContent = fill(sentence, { label: name || action.label });
      announcer.say(result.textContent);
    });
    act.dir = 'auto';
    const reason = [name, action.label].includes(action.reason) ? '' : action.reason;
    actions.append(act, element('p', { class: 'note', dir: 'auto' }, reason), result);
    actionArea.hidden = false;
  }

  function addRating(): void {
    if (!needs.canRate || !messageId || text === '') return;
    const rate = (rating: 'up' | 'down') => async () => {
      const sentence = await needs.onRate(messageId, rating).then(
        () => texts.thanks,
        () => texts.failed,
      );
      question.textContent = sentence;
      announcer.say(sentence);
      if (sentence !== texts.thanks) return;
      yes.setAttribute('aria-pressed', String(rating === 'up'));
      no.setAttribute('aria-pressed', String(rating === 'down'));
    };
    const question = element('span', {}, texts.helpful);
    const yes = button(texts.yes, { class: 'rate' }, rate('up'));
    const no = button(texts.no, { class: 'rate' }, rate('down'));
    for (const choice of [yes, no]) choice.setAttribute('aria-pressed', 'false');
    after.append(
      element('div', { class: 'rating', role: 'group', 'aria-label': texts.helpful }, question, yes, no),
    );
  }

  function breakOff(sentence: string, retry?: () => void): void {
    end();
    const again = retry ? button(texts.retry, { class: 'action' }, retry) : undefined;
    after.append(element('div', { class: 'trouble' }, element('p', {}, sentence), again));
    announcer.say(sentence);
  }

  function apply(event: ChatEvent): void {
    switch (event.type) {
      case 'message_start':
        begin();
        messageId = event.message_id;
        break;
      case 'status':
        status.textContent = texts[event.phase] ?? status.textContent;
        break;
      case 'text_delta':
        text += event.delta;
        drawing ||= requestAnimationFrame(draw);
        break;
      case 'text_replace':
        text = event.text;
        draw();
        break;
      case 'citation':
        addCitation(event);
        draw();
        break;
      case 'action':
        addAction(event);
        break;
      case 'suggestions':
        after.append(suggestionsOf(texts.next, event.items, needs.onAsk));
        break;
      case 'message_end':
        end();
        addRating();
        break;
    }
  }

  return { root, apply, breakOff, hasText: () => text !== '' };
}

type Item = { readonly title: string; readonly message: string };

/** Questions to ask with one click. */
export function suggestionsOf(
  title: string,
  items: readonly Item[],
  onAsk: (message: string) => void,
): HTMLElement {
  const choices = items.map((item) => {
    const choice = button(item.title, { class: 'suggestion' }, () => onAsk(item.message));
    choice.dir = 'auto';
    return element('li', {}, choice);
  });
  const list = element('ul', { class: 'choices' }, ...choices);
  const suggestions = area(title, list);
  suggestions.classList.add('suggestions');
  suggestions.hidden = items.length === 0;
  return suggestions;
}

function area(title: string, content: HTMLElement): HTMLElement {
  return element('div', { class: 'area', hidden: true }, element('h3', {}, title), content);
}
