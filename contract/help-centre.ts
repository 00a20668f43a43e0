import { z } from 'zod';
import { namedObject, visibleText, webAddress } from './fields.ts';
import { HELP_CENTRE_LIMITS } from './limits/help-centre.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';

/** Settings of the help centre: the published articles as public pages. The pages are HTML, and so in no contract. */

const enabled = z
  .boolean()
  .describe('Whether everybody can read the published articles at `/help/{app_id}`.');

const title = visibleText(HELP_CENTRE_LIMITS.titleCharsMax).meta({
  description: 'Title of the help centre, on one line. Not empty.',
  example: 'Bicycle shop help',
});

const tagline = visibleText(HELP_CENTRE_LIMITS.taglineCharsMax).meta({
  description: 'A line above the search of the first page. Not empty.',
  example: 'Everything about your bicycle',
});

const link = namedObject('HelpCentreLink', 'A link in the header or footer.', {
  label: visibleText(HELP_CENTRE_LIMITS.linkLabelCharsMax).meta({
    description: 'Words of the link, on one line. Not empty.',
    example: 'Shop',
  }),
  url: webAddress(REQUEST_LIMITS.urlCharsMax)
    .describe('An http or https URL.')
    .meta({ format: 'uri', example: 'https://shop.example.com' }),
});

const headerLinks = z.array(link).max(HELP_CENTRE_LIMITS.linksMax).describe('Links in the header, in order.');
const footerLinks = z.array(link).max(HELP_CENTRE_LIMITS.linksMax).describe('Links in the footer, in order.');
const searchEngines = z.boolean().describe('Whether search engines may list the pages.');
const aiCrawlers = z
  .boolean()
  .describe('Whether crawlers that collect texts for AI models may read the pages.');
const showGuide = z
  .boolean()
  .describe('Whether the guide is on the pages. Requires that their origin is among the allowed ones.');

export const helpCentreSettings = namedObject(
  'HelpCentreSettings',
  'The published articles as public pages.',
  {
    enabled,
    title: title.optional().describe('Title of the help centre. If absent, the name of the workspace.'),
    tagline: tagline.optional().describe('A line above the search of the first page. If absent, none.'),
    headerLinks,
    footerLinks,
    searchEngines,
    aiCrawlers,
    showGuide,
  },
);

export const helpCentreSettingsChange = namedObject(
  'HelpCentreSettingsChange',
  'Changes to the help centre. Omitted fields stay unchanged.',
  {
    enabled: enabled.optional(),
    title: title.nullable().optional().describe('Title, or `null` for the name of the workspace.'),
    tagline: tagline.nullable().optional().describe('A line above the search, or `null` for none.'),
    headerLinks: headerLinks.optional().describe('Links in the header. Replaces the whole list.'),
    footerLinks: footerLinks.optional().describe('Links in the footer. Replaces the whole list.'),
    searchEngines: searchEngines.optional(),
    aiCrawlers: aiCrawlers.optional(),
    showGuide: showGuide.optional(),
  },
);

export type HelpCentreSettings = z.infer<typeof helpCentreSettings>;
