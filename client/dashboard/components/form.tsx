import { Alert, Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type ElementType, type FormEvent, Fragment, type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { type GuideError, isGuideError } from '../../sdk/errors.ts';
import { useErrorText } from './loading.tsx';

/** Forms built from descriptions of their fields. */

/** The values of a form by the names of its fields. */
export type Values = Record<string, unknown>;
export type FormState<V extends Values = Values> = ReturnType<typeof useForm<V>>;
/** Texts by the path of their field; `form` stands above all fields. */
type Errors = Readonly<Record<string, string>>;
type Issue = NonNullable<GuideError['issues']>[number];
type Section = Parameters<typeof useTranslations>[0];
type Texts = { (key: string): string; has(key: string): boolean };

/** The texts of a field are those of its section: `name`, `nameHint` and `namePlaceholder`, where they exist. */
export type Field<V extends Values = Values> = {
  name: keyof V & string;
  /** The input, such as `TextInput`; or else `render`. */
  as?: ElementType;
  render?: (form: FormState<V>) => ReactNode;
  /** Further properties of the input. */
  input?: object;
  below?: ReactNode;
  /** Where the service has the value, such as `voice.timeZone`; the name by default. */
  path?: string;
  /** Applied before sending, such as to trim a text or to drop empty rows. */
  clean?: (value: never) => unknown;
  /** Returns an error, or errors by form path, before anything is sent. */
  check?: (value: never) => string | Errors | undefined | false;
  /** Explains why the service rejects the value, where the general text does not. */
  explainIssue?: (issue: Issue) => string | undefined;
};

type FieldsOptions<V extends Values> = {
  section: Section;
  fields: readonly Field<V>[];
  initialValues: V;
  /** Explains errors that concern the form but name no field. */
  explain?: (error: unknown) => Errors | undefined | false;
  onValuesChange?: () => void;
};

type FieldsState<V extends Values> = ReturnType<typeof useFields<V>>;

/** The state of a form: its values, how they are checked, and where errors are shown. */
export function useFields<V extends Values>({ section, fields, explain, ...options }: FieldsOptions<V>) {
  const form = useForm<V>(options);
  const texts = useTranslations(section as never) as unknown as Texts;
  const explainIssue = useIssueText();

  /** Shows errors at their fields, and focuses the first. */
  function showErrors(errors: Errors): void {
    form.setErrors(errors);
    const [first] = Object.keys(errors);
    if (first !== undefined) form.getInputNode(first)?.focus();
  }

  /** Converts `body.allowedOrigins.2` to `origins.2`, for example, where that is the name of `allowedOrigins`. */
  function toError(issue: Issue): Errors | undefined {
    const full = issue.path.replace(/^body\.(?:draft\.)?/, '');
    const field = fields.find(({ name, path = name }) => full === path || full.startsWith(`${path}.`));
    if (!field) return undefined;
    const row = field.render ? full.slice((field.path ?? field.name).length) : '';
    return { [field.name + row]: field.explainIssue?.(issue) ?? explainIssue(issue) };
  }

  return {
    form,
    fields,
    texts,
    showErrors,
    /** Cleans the values. */
    clean(): V {
      const values = form.getValues();
      const cleaned = { ...values };
      for (const { name, clean } of fields)
        if (clean) cleaned[name] = clean(values[name] as never) as V[typeof name];
      if (!isEqual(cleaned, values)) form.setValues(cleaned);
      return cleaned;
    },
    /** Checks each value, and shows an error at each field that has one. Returns whether no field has one. */
    check(values: V): boolean {
      const errors = fields.map(({ name, check }) => {
        const error = check?.(values[name] as never);
        return typeof error === 'string' ? { [name]: error } : error || {};
      });
      const all: Errors = Object.assign({}, ...errors);
      showErrors(all);
      return Object.keys(all).length === 0;
    },
    /** Shows an error of the service at the fields that it names. Returns whether it names nothing else. */
    showError(error: unknown): boolean {
      const explained = explain?.(error);
      if (explained) showErrors(explained);
      if (explained || !isGuideError(error, 'request/invalid')) return Boolean(explained);
      const errors = (error.issues ?? []).map(toError);
      const known = errors.filter((each) => each !== undefined);
      showErrors(Object.assign({}, ...known.toReversed()));
      return known.length > 0 && known.length === errors.length;
    },
  };
}

export const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The inputs of a form, one below the other. */
export function Fields<V extends Values>({
  state: { form, fields, texts },
  readOnly,
}: {
  state: Pick<FieldsState<V>, 'form' | 'fields' | 'texts'>;
  readOnly?: boolean;
}) {
  const findText = (key: string) => (texts.has(key) ? texts(key) : undefined);
  return fields.map(({ name, as: Input, input, render, below }) => {
    const isSwitch = typeof form.values[name] === 'boolean';
    return (
      <Fragment key={name}>
        {Input ? (
          <Input
            label={findText(name)}
            description={findText(`${name}Hint`)}
            placeholder={findText(`${name}Placeholder`)}
            {...(isSwitch ? { disabled: readOnly } : { readOnly })}
            {...input}
            {...form.getInputProps(name, { type: isSwitch ? 'checkbox' : 'input' })}
            {...(form.errors[name] ? INVALID : {})}
          />
        ) : (
          render?.(form)
        )}
        {below}
      </Fragment>
    );
  });
}

/** Not every input says so by itself. */
const INVALID = { 'aria-invalid': true };

type FormProps<V extends Values> = {
  state: FieldsState<V>;
  /** Sends the values. A rejection is shown at the fields that it names, or above all. */
  send: (values: V) => unknown;
  isPending?: boolean;
  submitLabel: string;
  button?: ButtonProps;
  /** For a form in a dialog. */
  cancel?: () => void;
  cancelLabel?: string;
  /** The largest width in pixels. */
  maw?: number;
  /** Puts the fields and the button side by side. */
  isRow?: boolean;
  /** Above the fields. */
  lead?: ReactNode;
  /** Above the button; announced politely. */
  status?: string;
  /** Below the button. */
  children?: ReactNode;
};

/** A form with its fields one below the other and a button that submits them. */
export function Form<V extends Values>(props: FormProps<V>) {
  const { state, send, submitLabel, button, cancel, cancelLabel, maw, isRow, lead, status } = props;
  const t = useTranslations('shell');
  const errorText = useErrorText();
  const [isSending, setIsSending] = useState(false);
  async function submit(event: FormEvent) {
    event.preventDefault();
    const values = state.clean();
    if (!state.check(values)) return;
    setIsSending(true);
    try {
      await send(values);
    } catch (error) {
      if (!state.showError(error)) state.form.setFieldError('form', errorText(error));
    } finally {
      setIsSending(false);
    }
  }
  const isPending = props.isPending || isSending;
  const Layout = isRow ? Group : Stack;
  const submitButton = (
    <Button type="submit" loading={isPending} className={isRow ? 'beside-field' : 'self-start'} {...button}>
      {submitLabel}
    </Button>
  );
  return (
    <form onSubmit={submit} noValidate>
      <Layout maw={maw} {...(isRow && ROW)}>
        {lead}
        {state.form.errors.form && (
          <Alert color="red" role="alert">
            {state.form.errors.form}
          </Alert>
        )}
        <Fields state={state} />
        {status !== undefined && (
          <Text size="sm" role="status">
            {status}
          </Text>
        )}
        {cancel ? (
          <Group justify="flex-end">
            <Button variant="default" onClick={cancel} disabled={isPending}>
              {cancelLabel ?? t('cancel')}
            </Button>
            {submitButton}
          </Group>
        ) : (
          submitButton
        )}
        {props.children}
      </Layout>
    </form>
  );
}

const ROW = { align: 'flex-start', gap: 'sm' } as const;

/** Explains why the service rejects a value. Only its message contains the limit. */
function useIssueText(): (issue: Issue) => string {
  const t = useTranslations('settings');
  return ({ code, message }) => {
    const limit = Number(/[<>]=?(\d+)/.exec(message)?.[1]);
    if (code === 'too_big' && limit >= 0) return t('tooBig', { limit });
    if (code === 'too_small' && limit >= 0) return t('tooSmall', { limit });
    return t('invalid', { message });
  };
}

export const trim = (text: string) => text.trim();
export const isEmail = (text: string) => /^\S+@\S+$/.test(text);
