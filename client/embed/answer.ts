import type { ChatEvent, ConversationTurn } from '../../generated/types.ts';
import type { Announcer } from './announcer.ts';
import { button, element } from './element.ts';
import { type Action, type ActionOutcome, isKnown } from './highlight.ts';
import { proposalOf } from './proposal.ts';
import { richTextIn, spoken } from './rich-text.ts';
import { citationMarker, sourceEntry } from './sources.ts';
import type { Wording } from './texts.ts';
import type { Trouble } from './trouble.ts';
import { retryButton } from './waiting.ts';

export type Citation = Extract<ChatEvent, { type: 'citation' }>;

export type AnswerDeps = {
  readonly wording: Wording;
  readonly announcer: Announcer;
  readonly canRate: boolean;
  readonly onAction: (action: Action, arrivedAtMillis: number) => ActionOutcome;
  readonly onDecline: (action: Action) => void;
  /** A button that reads aloud, where anybody may speak. */
  readonly readAloud: (text: string) => Promise<HTMLElement | undefined>;
  readonly onRate: (messageId: string, rating: 'up' | 'down') => Promise<unknown>;
  readonly onAsk: (message: string) => void;
  /** Shows the cited passage; `from` is where the focus goes back to. */
  readonly onCitation: (citation: Citation, from: HTMLElement) => void;
};

export type AnswerView = {
  readonly root: HTMLElement;
  readonly apply: (event: ChatEvent) => void;
  /** Shows an answer of before as the service has it. */
  readonly restore: (turn: ConversationTurn) => void;
  /** Ends the answer without its last event: with a sentence that says why and, where it can help, a button. */
  readonly breakOff: (trouble: Pick<Trouble, 'sentence' | 'waitSeconds'>, retry?: () => void) => void;
  /** The same for an answer of before, which nobody is told of anew. */
  readonly markBroken: (sentence: string, retry?: () => void) => void;
  /** What there is of it so far. */
  readonly soFar: () => { readonly text: string; readonly citations: readonly Citation[] };
};

/** One answer as it grows: text with numbered markers, its sources, proposals, next steps, and a rating at the end. */
export function openAnswer(deps: AnswerDeps): AnswerView {
  const { announcer, wording } = deps;
  const { texts, locale } = wording;
  const status = element('p', { class: 'status' }, texts.retrieving);
  const body = element('div', { class: 'text', dir: 'auto' });
  const rich = richTextIn(body);
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
    const marks = citations.map((citation) => {
      const { end, citation_id: id } = citation;
      return { end, id, node: () => marker(citation) };
    });
    rich.draw(text, marks);
    reader.grow(spoken(text));
  }

  function marker(citation: Citation): HTMLElement {
    const made = citationMarker(citation, texts, () => {
      deps.onCitation(citation, made.firstElementChild as HTMLElement);
    });
    return made;
  }

  function begin(): void {
    text = '';
    citations = [];
    reader = announcer.follow(locale);
    rich.draw('', []);
    for (const part of [sources, actions, after]) part.replaceChildren();
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
    if (!isKnown(action)) return;
    actions.append(proposalOf(action, deps));
    actionArea.hidden = false;
  }

  function addCopy(): void {
    const copy = button(texts.copy, { class: 'rate' }, async () => {
      const done = await copyText(text).catch(() => false);
      announcer.say(done ? texts.copied : texts.failed);
      copy.textContent = done ? texts.copied : texts.failed;
    });
    after.append(copy);
  }

  function addRating(): void {
    if (text === '') return;
    if (deps.canRate && messageId) addQuestion();
    addCopy();
    void deps.readAloud(spoken(text)).then((readAloud) => readAloud && after.append(readAloud));
  }

  function addQuestion(): void {
    const rate = (rating: 'up' | 'down') => async () => {
      const sentence = await deps.onRate(messageId, rating).then(
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

  function breakOff(
    { sentence, waitSeconds = 0 }: Parameters<AnswerView['breakOff']>[0],
    retry?: () => void,
  ): void {
    end();
    markBroken(sentence, retry, waitSeconds);
    announcer.say(sentence);
  }

  function markBroken(sentence: string, retry?: () => void, waitSeconds = 0): void {
    const again = retry ? retryButton(wording, announcer, waitSeconds, retry) : undefined;
    after.append(element('div', { class: 'trouble' }, element('p', {}, sentence), again));
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
        after.append(suggestionsOf(texts.next, event.items, deps.onAsk));
        break;
      case 'message_end':
        end();
        addRating();
        break;
    }
  }

  function restore(turn: ConversationTurn): void {
    messageId = turn.message_id;
    text = turn.answer;
    turn.citations.forEach(addCitation);
    end();
    if (turn.state === 'complete') addRating();
  }

  return { root, apply, restore, breakOff, markBroken, soFar: () => ({ text, citations }) };
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

/** Without a secure page there is no clipboard to write to, and the old way is left. */
async function copyText(text: string): Promise<boolean> {
  if (navigator.clipboard) {
    await navigator.clipboard.writeText(text);
    return true;
  }
  const put = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
  };
  document.addEventListener('copy', put, { once: true });
  return document.execCommand('copy');
}
