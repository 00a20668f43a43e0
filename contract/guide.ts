import { z } from 'zod';
import { email, namedObject, pattern, text, visibleText, webAddress } from './fields.ts';
import { ARTICLE_LIMITS } from './limits/articles.ts';
import { HANDOVER_LIMITS } from './limits/handovers.ts';
import { REQUEST_LIMITS } from './limits/requests.ts';
import { WORKSPACE_LIMITS } from './limits/workspace.ts';

/** Appearance of the guide, shared by boot and the settings. */

const brandTitle = visibleText(WORKSPACE_LIMITS.brandTitleCharsMax).meta({
  description: 'Title of the panel, on one line. Not empty.',
  example: 'Ask the bicycle shop',
});

const brandColor = pattern(/^#[0-9A-Fa-f]{6}$/, 7)
  .describe('Color of the launcher and buttons, as #rrggbb. Text on it is black or white.')
  .meta({ example: '#1f6feb' });

const launcherSide = z.enum(['start', 'end']).meta({
  id: 'LauncherSide',
  // `end` is a keyword of some languages.
  'x-enum-varnames': ['inline_start', 'inline_end'],
  description: 'Side of the page: start or end of the line, mirrored in right-to-left text.',
});

const brandLogo = pattern(/^\/images\/img_[0-9a-z]{26}$/, 64)
  .describe('Logo: the `url` of an image that was uploaded to the workspace.')
  .meta({ example: '/images/img_01kakv2fxse7wtg6x5r0h8rjbm' });

const launcherIcon = z.enum(['bubble', 'question', 'logo']).meta({
  id: 'LauncherIcon',
  description: 'Picture on the launcher. `logo` shows the logo, or a bubble while there is none.',
});

const launcherLabel = visibleText(WORKSPACE_LIMITS.launcherLabelCharsMax).meta({
  description: 'Words beside the picture on the launcher, on one line. Not empty.',
  example: 'Help',
});

export const branding = namedObject('GuideBranding', 'Appearance of the guide.', {
  title: brandTitle
    .optional()
    .describe("Title of the panel. If absent, a default in the visitor's language is used."),
  color: brandColor
    .optional()
    .describe('Color of the launcher and buttons, as #rrggbb. If absent, the default is used.'),
  launcher: launcherSide,
  logo: brandLogo.optional().describe('Logo in the greeting: the address of an image of the workspace.'),
  icon: launcherIcon.optional().describe('Picture on the launcher. If absent, a bubble.'),
  label: launcherLabel.optional().describe('Words on the launcher. If absent, it shows only the picture.'),
});

export const brandingChange = namedObject(
  'GuideBrandingChange',
  'Changes to the appearance. Omitted fields stay unchanged.',
  {
    title: brandTitle.nullable().optional().describe('Title of the panel, or `null` for the default.'),
    color: brandColor
      .nullable()
      .optional()
      .describe('Color of the launcher and buttons as #rrggbb, or `null` for the default.'),
    launcher: launcherSide.optional(),
    logo: brandLogo.nullable().optional().describe('Address of the logo, or `null` for none.'),
    icon: launcherIcon.optional(),
    label: launcherLabel.nullable().optional().describe('Words on the launcher, or `null` for none.'),
  },
);

/** Where visitors reach a person, shared by boot and the settings. */

const contactEmail = email;

const contactUrl = webAddress(REQUEST_LIMITS.urlCharsMax)
  .describe('An http or https URL, such as a contact page.')
  .meta({ format: 'uri', example: 'https://shop.example.com/contact' });

/** From the 3 digits of a short number to the 15 of E.164. */
const contactPhone = pattern(/^\+?[0-9](?: ?[0-9]){2,14}$/, 32)
  .describe('Telephone number: digits with single spaces, and a leading + before a country code.')
  .meta({ example: '+49 30 1234567' });

export const contact = namedObject(
  'Contact',
  'Where visitors reach a person. At least one field is present.',
  {
    email: contactEmail.optional(),
    url: contactUrl.optional(),
    phone: contactPhone.optional(),
  },
);

export const contactChange = namedObject(
  'ContactChange',
  'Changes to the contact. Omitted fields stay unchanged.',
  {
    email: contactEmail.nullable().optional().describe('Email address, or `null` for none.'),
    url: contactUrl.nullable().optional().describe('Contact page, an http or https URL, or `null` for none.'),
    phone: contactPhone
      .nullable()
      .optional()
      .describe('Telephone number: digits, single spaces and a leading +, or `null` for none.'),
  },
);

export type Contact = z.infer<typeof contact>;

/** When visitors may ask a person. */

const handoverMode = z.enum(['off', 'when_needed', 'always']).meta({
  id: 'HandoverMode',
  description:
    'When the guide offers to ask a person: never; where it has no answer, after a bad rating and when a visitor asks for a person; or also before the first question and below every answer.',
});

const answerTime = visibleText(HANDOVER_LIMITS.answerTimeCharsMax)
  .describe('When visitors can expect an answer, in your own words.')
  .meta({ example: 'within one working day' });

export const handoverSettings = namedObject('HandoverSettings', 'Questions of visitors to a person.', {
  mode: handoverMode,
  answerTime: answerTime.optional(),
  email: email.optional().describe('Where questions to a person are mailed to, if the service sends mail.'),
});

export const handoverSettingsChange = namedObject(
  'HandoverSettingsChange',
  'Changes to questions to a person. Omitted fields stay unchanged.',
  {
    mode: handoverMode.optional(),
    answerTime: answerTime.nullable().optional().describe('When visitors can expect an answer, or `null`.'),
    email: email.nullable().optional().describe('Where questions are mailed to, or `null` for nowhere.'),
  },
);

export const guideHandover = namedObject('GuideHandover', 'How visitors ask a person.', {
  mode: handoverMode.describe('Never `off`: then the whole object is absent.'),
  answer_time: answerTime.optional(),
  turns_max: z
    .int32()
    .min(1)
    .max(1000)
    .describe('Maximum number of turns that a visitor may send of a conversation.')
    .meta({ example: HANDOVER_LIMITS.turnsMax }),
  answer_chars_max: z
    .int32()
    .min(1)
    .max(100_000)
    .describe('Longer answers of these turns are cut.')
    .meta({ example: HANDOVER_LIMITS.answerCharsMax }),
  form_seconds_min: z
    .int32()
    .min(0)
    .max(60)
    .describe('Send the form no earlier than this after it was shown.')
    .meta({ example: HANDOVER_LIMITS.formSecondsMin }),
});

/** Where on a site the guide appears. */

const mountMode = z.enum(['shown', 'hidden', 'opened']).meta({
  id: 'MountMode',
  description:
    'State of the guide on a page: only the launcher (`shown`), nothing (`hidden`), or the open guide (`opened`). `opened` means `shown` for ' +
    'visitors who have refused consent, and on small screens.',
});

export const suggestedQuestion = visibleText(ARTICLE_LIMITS.titleCharsMax).meta({
  description: 'A suggested first question. Not empty.',
  example: 'Which plan do I need?',
});

export const pathRule = namedObject(
  'PathRule',
  'State of the guide on some pages. The first rule that matches applies.',
  {
    pattern: text(WORKSPACE_LIMITS.pathPatternCharsMax)
      .regex(/^[/*]/)
      .describe(
        'Paths of pages, as a URLPattern pathname with at most six wildcards, without regular expressions and repeated ' +
          'groups. Case-sensitive.',
      )
      .meta({ example: '/checkout{/*}?' }),
    mode: mountMode,
    suggestions: z
      .array(suggestedQuestion)
      .max(WORKSPACE_LIMITS.pathRuleSuggestionsMax)
      .optional()
      .describe("Suggested questions on these pages. If absent, the workspace's."),
  },
);

export const pathRules = z.array(pathRule).max(WORKSPACE_LIMITS.pathRulesMax);

export const mount = namedObject('Mount', 'How the guide appears on a page.', {
  mode: mountMode.describe('State of the guide for the `path` of this boot. `shown` if no rule matches.'),
  suggestions: z
    .array(
      z
        .string()
        .max(ARTICLE_LIMITS.titleCharsMax)
        .meta({ description: 'A suggested first question.', example: 'Which plan do I need?' }),
    )
    .max(WORKSPACE_LIMITS.suggestionsMax)
    .describe('Suggested questions to show on this page before the first message.'),
  rules: pathRules.describe(
    'All rules in order, so that a single-page application can resolve another path without a new boot.',
  ),
});
