/** HTML as a value: everything that a template inserts is escaped, unless it is HTML itself. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Inserted = Html | string | number | undefined | false | readonly Inserted[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ESCAPES[character]!);

/** A template tag. `undefined` and `false` insert nothing. */
export function html(strings: TemplateStringsArray, ...values: readonly Inserted[]): Html {
  return new Html(strings.reduce((text, part, at) => text + toText(values[at - 1]) + part));
}

function toText(value: Inserted): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(toText).join('');
  return escapeHtml(String(value));
}
