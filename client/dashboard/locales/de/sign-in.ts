import type { Messages } from '../en.ts';

export const signIn: Messages['signIn'] = {
  title: 'Anmelden',
  lead: 'Beim Dashboard von Guidepost.',
  email: 'E-Mail-Adresse',
  password: 'Passwort',
  submit: 'Anmelden',
  needEmail: 'Gib eine E-Mail-Adresse ein, etwa ada@example.com.',
  needPassword: 'Gib dein Passwort ein.',
  wrong: 'Die Adresse oder das Passwort stimmt nicht.',
  noAccount:
    'Noch kein Konto? Öffne den Einrichtungslink, den der Server ausgegeben hat, oder bitte um eine Einladung.',
};
