type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string | undefined;

/** Builds an element. Text only ever becomes text: nothing that comes from outside is parsed as HTML. */
export function element<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  setAll(made, attributes);
  const part = partOf(name, attributes.class);
  if (part) made.setAttribute('part', part);
  made.append(...children.filter((child) => child !== undefined));
  return made;
}

/** What a page may style with ::part. Everything else may be called otherwise in the next version. */
const PARTS =
  /\b(launcher|panel|log|question|answer|text|sources|action|proposal|suggestion|choice|consent|send|microphone|frame)\b/;
const PARTS_BY_TAG: Readonly<Record<string, string>> = {
  header: 'header',
  h2: 'title',
  form: 'form',
  textarea: 'field',
  footer: 'footer',
};

function partOf(name: string, classes: Attributes[string]): string | undefined {
  return PARTS_BY_TAG[name] ?? PARTS.exec(String(classes ?? ''))?.[0];
}

export type ButtonOptions = { readonly class?: string; readonly label?: string; readonly icon?: IconName };

/** A button that says `text`, or shows an icon and says its label to assistive technology. */
export function button(text: string, options: ButtonOptions, onClick: () => void): HTMLButtonElement {
  const { icon: iconName, label } = options;
  const made = element(
    'button',
    { type: 'button', class: options.class, 'aria-label': label, title: label },
    iconName ? icon(iconName) : undefined,
    text,
  );
  made.addEventListener('click', onClick);
  return made;
}

const ICONS = {
  signpost: 'M12 2v20M5 4h11l3 3-3 3H5zM19 12H8l-3 3 3 3h11z',
  close: 'M6 6l12 12M18 6L6 18',
  send: 'M5 12h13M12 5l7 7-7 7',
  stop: 'M7 7h10v10H7z',
  microphone: 'M12 3a3 3 0 0 1 3 3v5a3 3 0 0 1-6 0V6a3 3 0 0 1 3-3zM6 11a6 6 0 0 0 12 0M12 17v4',
};
export type IconName = keyof typeof ICONS;

export function icon(name: IconName): SVGSVGElement {
  const namespace = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(namespace, 'svg');
  setAll(svg, { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: `icon icon-${name}` });
  const path = document.createElementNS(namespace, 'path');
  path.setAttribute('d', ICONS[name]);
  svg.append(path);
  return svg;
}

function setAll(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined && value !== false)
      target.setAttribute(name, value === true ? '' : String(value));
}

/** Text that a person or an article wrote: it runs in its own direction. */
export function prose(text: string, language?: string): HTMLElement {
  return element('p', { dir: 'auto', lang: language }, text);
}
