import { element } from '../embed/element.ts';
import { fill } from '../embed/texts.ts';
import { choiceField, fieldAround, textField, textInput } from './field.ts';
import { formOf } from './form.ts';
import { languageChoices } from './languages.ts';
import { completedOrigin } from './origin.ts';
import { command, openPage, type Page, paragraph } from './page.ts';
import { passwordField, passwordProblemText } from './password-field.ts';
import { isDeadLink } from './trouble.ts';

/** The page behind the link that the service prints while nobody can sign in. */

const CREATE_COMMAND =
  'printf %s "$OWNER_PASSWORD" | npm run -s guidepost -- workspace create --name NAME --domain https://shop.example.com --owner-email EMAIL --owner-password-stdin';

void start(openPage());

async function start(page: Page): Promise<void> {
  const { token, texts } = page;
  if (token === undefined) {
    page.show(texts.tokenMissingTitle, [paragraph(texts.setUpTokenMissing)]);
    return;
  }
  page.show(texts.setUpTitle, [paragraph(texts.loading)]);
  if (await isDead(token, page)) showDead(page);
  else showForm(token, page);
}

/**
 * Nobody should fill in a form to learn that its link is dead. The service looks at the link first and at the password last,
 * so that a password which is certainly too short tells about the link and changes nothing.
 */
async function isDead(token: string, { account }: Page): Promise<boolean> {
  try {
    await account.setUp({
      token,
      email: 'nobody@example.com',
      password: '-',
      workspaceName: '-',
      allowedOrigins: ['https://example.com'],
    });
    return false;
  } catch (error) {
    return isDeadLink(error, 'setup/not_found');
  }
}

function showDead(page: Page): void {
  const { texts } = page;
  page.show(
    texts.deadTitle,
    [
      paragraph(texts.deadLead),
      paragraph(texts.deadNobody),
      paragraph(texts.deadCommand),
      command(CREATE_COMMAND),
      paragraph(texts.deadSomebody),
    ],
    'heading',
  );
}

function showForm(token: string, page: Page): void {
  const { texts, locale } = page;
  const fields = {
    email: textField({
      id: 'email',
      type: 'email',
      autocomplete: 'username',
      maxLength: 254,
      label: texts.email,
      hint: texts.emailHint,
    }),
    password: passwordField('new-password', texts.password, page),
    workspaceName: textField({
      id: 'workspace-name',
      type: 'text',
      autocomplete: 'organization',
      maxLength: 200,
      label: texts.workspaceName,
      hint: texts.workspaceNameHint,
    }),
    origin: originField(page),
    sourceLocale: choiceField(
      { id: 'source-locale', label: texts.sourceLocale, hint: texts.sourceLocaleHint },
      languageChoices(locale),
      'en',
    ),
  };
  const names: Readonly<Record<string, readonly [keyof typeof fields, string]>> = {
    email: ['email', texts.needEmail],
    workspaceName: ['workspaceName', texts.needWorkspaceName],
    allowedOrigins: ['origin', texts.needOrigin],
    sourceLocale: ['sourceLocale', texts.badLocale],
  };
  const form = formOf(
    {
      fields,
      submit: texts.setUp,
      submitting: texts.settingUp,
      missing: () => ({
        ...(/^\S+@\S+$/.test(fields.email.value().trim()) ? {} : { email: texts.needEmail }),
        ...(fields.password.value() ? {} : { password: texts.needPassword }),
        ...(fields.workspaceName.value().trim() ? {} : { workspaceName: texts.needWorkspaceName }),
        ...(completedOrigin(fields.origin.value()) ? {} : { origin: texts.needOrigin }),
      }),
      async send() {
        const origin = completedOrigin(fields.origin.value())!;
        const email = fields.email.value().trim();
        const state = await page.account.setUp({
          token,
          email,
          password: fields.password.value(),
          workspaceName: fields.workspaceName.value(),
          allowedOrigins: [origin],
          sourceLocale: fields.sourceLocale.value(),
        });
        // The new owner may have got older workspaces too, such as the demo. Ids of workspaces sort by when they were made.
        const made = state.memberships.reduce((one, other) => (other.tenantId > one.tenantId ? other : one));
        location.assign(`${page.serviceUrl}/dashboard/w/${made.tenantId}/welcome`);
      },
      told(issue) {
        const name = issue.path.split('.')[1] ?? '';
        return name === 'password' ? ['password', passwordProblemText(issue, page)] : names[name];
      },
      refused({ code }) {
        if (code !== 'setup/not_found') return false;
        showDead(page);
        return true;
      },
    },
    page,
  );
  page.show(texts.setUpTitle, [paragraph(texts.setUpLead), form]);
}

/** Shows which origin will be allowed, since few people type one whole. */
function originField({ texts, announce }: Page) {
  const input = textInput({ type: 'text', autocomplete: 'url' });
  input.inputMode = 'url';
  const aside = element('p', { id: 'origin-becomes', class: 'hint' });
  const becomes = () => {
    const origin = completedOrigin(input.value);
    return origin ? fill(texts.originBecomes, { origin }) : '';
  };
  input.addEventListener('input', () => {
    aside.textContent = becomes();
  });
  input.addEventListener('change', () => announce(becomes()));
  return fieldAround(input, { id: 'origin', label: texts.origin, hint: texts.originHint, aside });
}
