import { element } from '../embed/element.ts';
import { fill } from '../embed/texts.ts';
import type { InvitationView, SessionState } from '../sdk/types.ts';
import { fieldAround, textInput } from './field.ts';
import { formOf } from './form.ts';
import { openPage, type Page, paragraph } from './page.ts';
import { passwordField, passwordProblemText } from './password-field.ts';
import { isDeadLink, troubleText } from './trouble.ts';

/** The page behind the link of an invitation. */

void start(openPage());

async function start(page: Page): Promise<void> {
  const { token, texts } = page;
  if (token === undefined) {
    page.show(texts.tokenMissingTitle, [paragraph(texts.invitationTokenMissing)]);
    return;
  }
  page.show(texts.invitationPage, [paragraph(texts.loading)]);
  await read(token, page);
}

async function read(token: string, page: Page): Promise<void> {
  try {
    showForm(await page.account.invitations.read(token), token, page);
  } catch (error) {
    if (isDeadLink(error, 'invitation/not_found')) showDead(page);
    else showTrouble(error, token, page);
  }
}

function showDead(page: Page): void {
  const { texts } = page;
  const content = [paragraph(texts.invitationDeadLead), paragraph(texts.invitationDeadNext)];
  page.show(texts.invitationDeadTitle, content, 'heading');
}

function showTrouble(error: unknown, token: string, page: Page): void {
  const retry = element('button', { type: 'button', class: 'main' }, page.texts.retry);
  retry.addEventListener('click', () => read(token, page));
  page.show(page.texts.invitationPage, [paragraph(troubleText(error, page), 'problem'), retry], 'heading');
}

function showForm(invitation: InvitationView, token: string, page: Page, surprise?: string): void {
  const { texts } = page;
  const { workspaceName, email, hasAccount } = invitation;
  const fields = {
    email: emailField(email, page),
    password: hasAccount
      ? passwordField('current-password', texts.password, page)
      : passwordField('new-password', texts.newPassword, page),
  };
  const form = formOf(
    {
      fields,
      submit: texts.accept,
      submitting: texts.accepting,
      missing: () => (fields.password.value() ? {} : { password: texts.needPassword }),
      async send() {
        const state = await page.account.invitations.accept(token, fields.password.value());
        goOn(state, page);
      },
      told: (issue) =>
        issue.path === 'body.password' ? ['password', passwordProblemText(issue, page)] : undefined,
      async refused({ code }) {
        if (code === 'invitation/not_found') showDead(page);
        else if (code !== 'session/wrong_credentials') return false;
        else if (hasAccount) {
          fields.password.complain(texts.wrongPassword);
          fields.password.focus();
        } else {
          // Somebody has given the address a password meanwhile: that is the one to ask for.
          const now = await page.account.invitations.read(token).catch(() => invitation);
          showForm({ ...now, hasAccount: true }, token, page, texts.nowHasAccount);
        }
        return true;
      },
    },
    page,
  );
  const lead = surprise ?? (hasAccount ? texts.existingLead : texts.chooseLead);
  const content = [facts(invitation, page), paragraph(lead), form];
  page.show(fill(texts.invitationTitle, { name: workspaceName }), content, surprise ? 'heading' : undefined);
}

/** Password managers keep a password under the name that stands beside it. */
function emailField(email: string, { texts }: Page) {
  const input = textInput({ type: 'email', autocomplete: 'username' });
  input.value = email;
  input.readOnly = true;
  input.required = false;
  return fieldAround(input, { id: 'email', label: texts.email });
}

function facts({ workspaceName, role, expiresAt }: InvitationView, { texts, locale }: Page): HTMLElement {
  const until = new Date(expiresAt).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'long' });
  const time = element('time', { datetime: expiresAt }, until);
  return element(
    'dl',
    {},
    ...fact(texts.workspace, workspaceName),
    ...fact(texts.role, texts.roles[role]),
    ...fact(texts.validUntil, time),
  );
}

const fact = (name: string, value: Node | string) => [
  element('dt', {}, name),
  element('dd', { dir: 'auto' }, value),
];

/** Into the workspace that they joined last. */
function goOn({ memberships }: SessionState, { serviceUrl }: Page): void {
  const joined = memberships.at(-1);
  location.assign(`${serviceUrl}/dashboard${joined ? `/w/${joined.tenantId}` : ''}`);
}
