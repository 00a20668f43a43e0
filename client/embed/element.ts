import type { Icon } from './icons.ts';
import { segment } from './segment.ts';

type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

/** Creates an element. Strings become text nodes, never HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const created = document.createElement(name);
  setAll(created, attributes);
  const part = getPartName(name, attributes.class);
  if (part) created.setAttribute('part', part);
  addAll(created, ...children);
  return created;
}

/** Adds one child after another: pages replace `append` by one that takes a single node, or HTML. */
export function addAll(parent: Element, ...children: Child[]): void {
  for (const child of children)
    if (child !== undefined)
      parent.appendChild(typeof child === 'string' ? document.createTextNode(child) : child);
}

/** Attributes of a link that leaves the page. */
export const NEW_TAB = { target: '_blank', rel: 'noopener noreferrer' };

/** Names that pages may style with ::part. Other class names may change in any version. */
const PARTS =
  /\b(launcher|panel|log|question|answer|text|sources|action|proposal|suggestion|choice|consent|send|microphone|frame)\b/;
const PARTS_BY_TAG: Readonly<Record<string, string>> = {
  header: 'header',
  h2: 'title',
  form: 'form',
  textarea: 'field',
  footer: 'footer',
};

function getPartName(name: string, classes: Attributes[string]): string | undefined {
  return PARTS_BY_TAG[name] ?? PARTS.exec(String(classes ?? ''))?.[0];
}

type ButtonOptions = { class?: string; label?: string; icon?: Icon };

/** Creates a button with a text, or with an icon and a label for screen readers. */
export function button(text: string, options: ButtonOptions, onClick: () => void): HTMLButtonElement {
  const { icon: shape, label } = options;
  const created = element(
    'button',
    { type: 'button', class: options.class, 'aria-label': label, title: label },
    shape ? icon(shape) : undefined,
    text,
  );
  created.addEventListener('click', onClick);
  return created;
}

export function icon([name, path]: Icon): SVGSVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.setAttribute('class', `icon icon-${name}`);
  const line = document.createElementNS(namespace, 'path');
  line.setAttribute('d', path);
  svg.append(line);
  return svg;
}

function setAll(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      target.setAttribute(name, value === true ? '' : String(value));
}

/** Renames a button that shows an icon. */
export function setLabel(target: HTMLElement, label: string): void {
  target.setAttribute('aria-label', label);
  target.title = label;
}

/** Creates a paragraph of visitor or article text, in its own direction. */
export function prose(text: string, language?: string): HTMLElement {
  return element('p', { dir: 'auto', lang: language }, text);
}

/** Announces text to screen readers in whole sentences; single tokens would be noise. */
export type Announcer = {
  say: (text: string) => void;
  /** Follows a growing text and announces each sentence when it is complete. */
  follow: (locale: string) => { grow: (text: string) => void; end: () => void };
};

const LINES_MAX = 20;

export function openAnnouncer(region: HTMLElement): Announcer {
  function say(text: string): void {
    if (text.trim() === '') return;
    const line = document.createElement('p');
    line.textContent = text;
    region.append(line);
    while (region.childElementCount > LINES_MAX) region.firstElementChild?.remove();
  }
  return {
    say,
    follow: (locale) => {
      let fullText = '';
      let announcedChars = 0;
      return {
        grow: (text) => {
          // The text was replaced; start over.
          if (!text.startsWith(fullText.slice(0, announcedChars))) announcedChars = 0;
          fullText = text;
          const unfinished = segment(fullText.slice(announcedChars), 'sentence', locale).at(-1) ?? '';
          const finished = fullText.slice(announcedChars, fullText.length - unfinished.length);
          announcedChars += finished.length;
          say(finished);
        },
        end: () => {
          say(fullText.slice(announcedChars));
          announcedChars = fullText.length;
        },
      };
    },
  };
}
