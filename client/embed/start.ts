import type { BootReply } from '../../generated/types.ts';
import type { Settings } from './boot.ts';
import { createSuggestions } from './choices.ts';
import { button, element } from './element.ts';
import { BOOK, BUBBLE } from './icons.ts';
import type { Localization } from './language.ts';

export type StartDeps = {
  localization: Localization;
  branding: BootReply['config']['branding'];
  settings: Pick<Settings, 'apiUrl'>;
  /** The first questions that this page suggests. */
  suggestions: () => readonly string[];
  onAsk: (message: string) => void;
  onBrowse: () => void;
  /** Present where the owner always offers a person. */
  onAskPerson: ((from: HTMLElement) => void) | undefined;
};

/** Builds what the panel shows before the first question. */
export function createStart({ localization, branding, settings, ...deps }: StartDeps): HTMLElement {
  const { texts } = localization;
  const items = deps.suggestions().map((title) => ({ title, message: title }));
  const { logo } = branding;
  const { onAskPerson } = deps;
  const askPerson = button(texts.askPerson, { class: 'browse', icon: BUBBLE }, () =>
    onAskPerson?.(askPerson),
  );
  return element(
    'div',
    { class: 'start suggestions' },
    logo ? element('img', { class: 'logo', src: settings.apiUrl + logo, alt: '' }) : undefined,
    element('p', { class: 'greeting' }, texts.greet),
    createSuggestions(texts.start, items, deps.onAsk),
    button(texts.help, { class: 'browse', icon: BOOK }, deps.onBrowse),
    onAskPerson && askPerson,
  );
}
