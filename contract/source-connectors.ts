import { namedObject, pattern, webAddress } from './fields.ts';
import { SOURCE_LIMITS } from './limits/sources.ts';

/** Fields of sources that are read through the API of another service. */

export const zendeskSettings = namedObject('ZendeskSettings', 'Which help center of Zendesk is read.', {
  address: webAddress(SOURCE_LIMITS.placeBytesMax)
    .describe(
      'https address of the help center; its path is ignored. Without `apiToken`, only what everybody can read is listed, and the ' +
        'origin has to be an allowed domain of the workspace.',
    )
    .meta({ example: 'https://shop.zendesk.com' }),
  email: pattern(/^[^\s@:]+@[^\s@:/]+$/, SOURCE_LIMITS.apiEmailCharsMax)
    .optional()
    .describe('The user to whom the API token belongs. Without it, `apiToken` is an OAuth access token.')
    .meta({ example: 'help@shop.example.com' }),
});

export const apiToken = pattern(/^[\x21-\x7e]*$/, SOURCE_LIMITS.apiTokenCharsMax).meta({
  description:
    'Credential for the service, stored encrypted and never returned. If omitted, the stored one stays; an empty one deletes it. ' +
    'Zendesk: an OAuth access token with the scope `hc:read`, or the API token of `email`. Notion: the secret of an internal ' +
    'integration that may read content.',
  example: 'ntn_18392740561qWeRtYuIoPaSdFgHjKlZxCvBnM',
});
