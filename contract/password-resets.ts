import { email, linkHeader, moment, namedObject, okReply, text } from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { route, router } from './route.ts';
import { newPassword } from './session.ts';

const passwordResetRequest = namedObject(
  'PasswordResetRequest',
  'The address to which a link for a new password is mailed.',
  { email },
);

const passwordResetLink = namedObject('PasswordResetLink', 'A link for a new password that still works.', {
  email: email.describe('Address whose account gets the new password, in lower case.'),
  expiresAt: moment,
});

const passwordReset = namedObject('PasswordReset', 'The link of the mail, and the new password.', {
  token: text(128)
    .regex(/^[A-Za-z0-9_-]+$/)
    .describe('The token after `#token=` in the link.')
    .meta({ example: 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k' }),
  newPassword,
});

const meta = { credential: 'none', firstParty: true, limits: ['session/ip-rate-limited'] } as const;

export const passwordResets = router('Session', {
  requestPasswordReset: route({
    method: 'POST',
    path: '/api/password-resets',
    summary: 'Request a link for a new password',
    description:
      `Mails a link that works once, for ${ACCOUNT_LIMITS.mailedLinkSeconds / 60} minutes, if the address has an account. The ` +
      'response and its time are the same if it has none.',
    body: passwordResetRequest,
    responses: { 202: okReply },
    errors: ['mail/not_configured'],
    meta: { ...meta, limitsAfterBody: ['session/network-resets', 'session/account-resets'] },
  }),
  readPasswordResetLink: route({
    method: 'GET',
    path: '/api/password-resets',
    summary: 'Check a link for a new password',
    description:
      'Returns whose password the link changes, or `password_reset/not_found` when it has been used, has expired or never existed. ' +
      'The token travels in a header so that request logs do not record it.',
    headers: linkHeader,
    responses: { 200: passwordResetLink },
    errors: ['password_reset/not_found'],
    meta,
  }),
  resetPassword: route({
    method: 'PUT',
    path: '/api/password-resets',
    summary: 'Set a new password with a link',
    description:
      'Proves the address, as its owner alone gets the link: all accounts of the address become one with the new password. Ends all ' +
      'sessions, automation sessions too. The links of earlier mails stop working. The change is recorded in the audit log of each of ' +
      "the user's workspaces.",
    body: passwordReset,
    responses: { 200: okReply },
    errors: ['password_reset/not_found'],
    meta,
  }),
});
