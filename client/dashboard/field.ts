import { element } from '../embed/element.ts';
import type { Choice } from './languages.ts';

/** A labelled field with a hint and a place for what is wrong with it, both tied to it. */
export type Field = {
  readonly node: HTMLElement;
  readonly value: () => string;
  /** Says what is wrong; without a text, nothing is any more. */
  readonly complain: (problem?: string) => void;
  readonly focus: () => void;
};

type Control = HTMLInputElement | HTMLSelectElement;

type FieldParts = {
  readonly id: string;
  readonly label: string;
  readonly hint?: string;
  /** Stands behind the hint: what the field says about what is typed. */
  readonly aside?: HTMLElement;
  /** Stands below the control: what else can be done with it. */
  readonly action?: HTMLElement;
};

export function fieldAround(control: Control, { id, label, hint, aside, action }: FieldParts): Field {
  const problem = element('p', { id: `${id}-problem`, class: 'problem', hidden: true });
  const hintId = hint ? `${id}-hint` : undefined;
  const described = [hintId, aside?.id].filter(Boolean).join(' ');
  control.id = id;
  if (described) control.setAttribute('aria-describedby', described);
  const complain = (text?: string) => {
    problem.textContent = text ?? '';
    problem.hidden = text === undefined;
    if (text === undefined) control.removeAttribute('aria-invalid');
    else control.setAttribute('aria-invalid', 'true');
    const ids = [text && problem.id, described].filter(Boolean).join(' ');
    if (ids) control.setAttribute('aria-describedby', ids);
    else control.removeAttribute('aria-describedby');
  };
  // What was wrong may be right by now; the next try says.
  control.addEventListener('input', () => complain());
  return {
    node: element(
      'div',
      { class: 'field' },
      element('label', { for: id }, label),
      hint ? element('p', { id: hintId, class: 'hint' }, hint) : undefined,
      control,
      action,
      aside,
      problem,
    ),
    value: () => control.value,
    complain,
    focus: () => control.focus(),
  };
}

type TextParts = FieldParts &
  Readonly<Record<'type' | 'autocomplete', string>> & { readonly maxLength?: number };

export function textInput({
  type,
  autocomplete,
  maxLength,
}: Omit<TextParts, keyof FieldParts>): HTMLInputElement {
  return element('input', {
    type,
    autocomplete,
    maxlength: maxLength,
    required: true,
    spellcheck: 'false',
    autocapitalize: 'off',
    dir: 'auto',
  });
}

export function textField(parts: TextParts): Field {
  return fieldAround(textInput(parts), parts);
}

export function choiceField(parts: FieldParts, choices: readonly Choice[], chosen: string): Field {
  const options = choices.map(({ value, label }) =>
    element('option', { value, selected: value === chosen }, label),
  );
  return fieldAround(element('select', {}, ...options), parts);
}
