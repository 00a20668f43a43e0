/** Problems must be repaired; warnings should be. The message says what to do. */
export type Finding = {
  check: string;
  status: 'ok' | 'warning' | 'problem';
  message: string;
};

/** Makes a finding of a text such as `disk: Make room.`, which begins with the name of the check. */
const as =
  (status: Finding['status']) =>
  (strings: TemplateStringsArray, ...values: readonly unknown[]): Finding => {
    const text = String.raw({ raw: strings }, ...values);
    const [check = ''] = text.split(':', 1);
    return { check, status, message: text.slice(check.length + 2) };
  };

export const ok = as('ok');
export const warning = as('warning');
export const problem = as('problem');
