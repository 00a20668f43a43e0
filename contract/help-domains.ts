import { z } from 'zod';
import { domainName, domainRecord } from './domain-proof.ts';
import { moment, namedObject, workspaceId } from './fields.ts';
import { editRoute, readRoute, route, router } from './route.ts';

/** Where the pages of the help centre are, and the domain of their own. */

const domain = domainName.meta({
  description: 'The name of the domain, in lower case (ASCII).',
  example: 'help.example.com',
});

const helpDomain = namedObject(
  'HelpDomain',
  'A domain that the workspace gives to its help centre. The pages are there once the record or the file was found.',
  {
    domain,
    record: domainRecord,
    file: namedObject('DomainFile', 'The file that proves that the domain is yours, instead of the record.', {
      url: z
        .string()
        .max(300)
        .describe('Where it is looked for, without following redirects.')
        .meta({ example: 'https://help.example.com/.well-known/guidepost-help.txt' }),
      content: z.string().max(100).meta({ example: 'guidepost-help=q83vASNFZ4mrze8BI0VniavN7wEjRWeJ' }),
    }),
    provedAt: moment.optional().describe('When the record or the file was found. Absent until then.'),
  },
);

const helpAddress = namedObject('HelpAddress', 'Where the pages of the help centre are.', {
  url: z
    .string()
    .max(2048)
    .describe('Where they begin, whether or not the help centre is on.')
    .meta({ example: 'https://help.example.com' }),
  isGiven: z
    .boolean()
    .describe('Whether the operator of the service has given it this domain, which wins over its own.')
    .meta({ example: false }),
  domain: helpDomain.optional().describe('The domain of its own. Absent without one.'),
});

export type HelpAddress = z.infer<typeof helpAddress>;

const path = '/api/tenants/:tenantId/help-domain';
const pathParams = z.strictObject({ tenantId: workspaceId });
const responses = { 200: helpAddress } as const;
const meta = { ...editRoute, roles: ['owner'] } as const;
const body = namedObject('HelpDomainChange', 'A domain for the help centre.', { domain });

export const helpDomains = router('Workspace', {
  readHelpDomain: route({
    ...{ method: 'GET', path, pathParams, responses },
    summary: 'Retrieve the address of the help centre',
    description: 'Returns where the pages are, and the domain of their own.',
    meta: readRoute,
  }),
  setHelpDomain: route({
    ...{ method: 'PUT', path, pathParams, responses, body, meta },
    summary: 'Set the domain of the help centre',
    description:
      'Stores the domain in place of an earlier one, which no longer has the pages. The new one has them once it is proved.',
    errors: ['help_domain/not_available'],
  }),
  removeHelpDomain: route({
    ...{ method: 'DELETE', path, pathParams, responses, meta },
    summary: 'Remove the domain of the help centre',
    description: 'The pages are at the address of the service again. Another workspace may prove the domain.',
    errors: ['help_domain/not_found'],
  }),
  proveHelpDomain: route({
    ...{ method: 'POST', path: `${path}/proofs`, pathParams, responses, body, meta },
    summary: 'Prove the domain of the help centre',
    description:
      'Looks for the TXT record, then for the file. A domain belongs to one workspace: that which has proved it last.',
    errors: ['help_domain/not_found', 'help_domain/not_available', 'help_domain/not_proved'],
  }),
});
