import { email, namedObject, okReply, text } from './fields.ts';
import { ACCOUNT_LIMITS } from './limits/accounts.ts';
import { route, router } from './route.ts';
import { ownAccountMeta } from './session.ts';

const emailChangeRequest = namedObject('EmailChangeRequest', 'The address that the account is to have.', {
  email,
});

const emailChangeConfirmation = namedObject('EmailChangeConfirmation', 'The link of the mail.', {
  token: text(2048)
    .regex(/^[A-Za-z0-9_.-]+$/)
    .describe('The token after `#token=` in the link.')
    .meta({
      example: 'eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..q83vASNFZ4mrze8B.I0VniavN7wEj.RWeJq83vASNFZ4k',
    }),
});

const changedEmail = namedObject('ChangedEmail', 'The address of the account now.', { email });

export const emailChanges = router('Session', {
  requestEmailChange: route({
    method: 'POST',
    path: '/api/email-changes',
    summary: 'Request a change of the email address',
    description:
      `Mails a link to the new address, which works for ${ACCOUNT_LIMITS.mailedLinkSeconds / 60} minutes in a session of the same ` +
      'account. Until then, nothing changes. The response is the same if another account has the address.',
    body: emailChangeRequest,
    responses: { 202: okReply },
    errors: ['mail/not_configured'],
    meta: {
      ...ownAccountMeta,
      freshPassword: true,
      limitsAfterBody: ['session/network-resets', 'session/account-resets'],
    },
  }),
  changeEmail: route({
    method: 'PUT',
    path: '/api/email-changes',
    summary: 'Change the email address',
    description:
      'Gives the account the address that the link proves, ends all other sessions of the user, and tells the earlier address. The change is recorded in the audit log ' +
      "of each of the user's workspaces. Sign-in at an identity provider stays as it is.",
    body: emailChangeConfirmation,
    responses: { 200: changedEmail },
    errors: ['email_change/not_found', 'email_change/not_available'],
    meta: ownAccountMeta,
  }),
});
