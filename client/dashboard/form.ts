import { element } from '../embed/element.ts';
import { type GuideError, isGuideError } from '../sdk/errors.ts';
import type { Field } from './field.ts';
import type { Page } from './page.ts';
import { troubleText } from './trouble.ts';

type Issue = NonNullable<GuideError['issues']>[number];

export type FormParts<Name extends string> = {
  /** In the order that they are seen and asked in. */
  readonly fields: Readonly<Record<Name, Field>>;
  readonly submit: string;
  readonly submitting: string;
  /** What is missing before anything is sent. */
  readonly missing: () => Partial<Record<Name, string>>;
  readonly send: () => Promise<void>;
  /** The field that an issue of the service is about, and what to say there. */
  readonly told: (issue: Issue) => readonly [Name, string] | undefined;
  /** Takes what a page has its own answer to; says whether it did. */
  readonly refused: (error: GuideError) => boolean | Promise<boolean>;
};

/** A form that says what is wrong where it is wrong, and takes the reader to the first of it. */
export function formOf<Name extends string>(parts: FormParts<Name>, page: Page): HTMLFormElement {
  const fields = Object.entries(parts.fields) as [Name, Field][];
  const trouble = element('p', { class: 'problem', role: 'alert', tabindex: -1, hidden: true });
  const submit = element('button', { type: 'submit', class: 'main' }, parts.submit);
  const form = element('form', { novalidate: true }, ...fields.map(([, { node }]) => node), trouble, submit);
  let busy = false;

  function setBusy(value: boolean): void {
    busy = value;
    submit.textContent = value ? parts.submitting : parts.submit;
    // A disabled button would drop the focus.
    submit.setAttribute('aria-disabled', String(value));
    if (value) page.announce(parts.submitting);
  }

  function complain(problems: Partial<Record<Name, string>>): boolean {
    for (const [name, field] of fields) field.complain(problems[name]);
    const first = fields.find(([name]) => problems[name] !== undefined);
    first?.[1].focus();
    if (first) page.announce(page.texts.fixFields);
    return first !== undefined;
  }

  function sayTrouble(text?: string): void {
    trouble.hidden = text === undefined;
    trouble.textContent = text ?? '';
    if (text !== undefined) trouble.focus();
  }

  async function refused(error: unknown): Promise<void> {
    const issues = (isGuideError(error) && error.issues) || [];
    const told = issues.flatMap((issue) => [parts.told(issue) ?? []].filter((each) => each.length > 0));
    if (complain(Object.fromEntries(told) as Partial<Record<Name, string>>)) return;
    if (isGuideError(error) && (await parts.refused(error))) return;
    sayTrouble(troubleText(error, page));
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (busy) return;
    sayTrouble();
    if (complain(parts.missing())) return;
    setBusy(true);
    try {
      await parts.send();
    } catch (error) {
      setBusy(false);
      await refused(error);
    }
  });
  return form;
}
