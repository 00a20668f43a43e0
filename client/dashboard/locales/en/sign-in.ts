export const signIn = {
  title: 'Sign in',
  lead: 'To the dashboard of Guidepost.',
  email: 'Email address',
  password: 'Password',
  submit: 'Sign in',
  needEmail: 'Enter an email address, such as ada@example.com.',
  needPassword: 'Enter your password.',
  wrong: 'The address or the password is wrong.',
  noAccount:
    'No account yet? Open the set-up link that the server printed, or ask an owner for an invitation.',
};
