import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** How the guide looks on the pages of a workspace; the same to boot and to the settings. */

export const brandTitle = z
  .string()
  .min(1)
  .max(LIMITS.brandTitleCharsMax)
  .regex(/\S/)
  .describe('What the panel is headed with; one line, not empty.')
  .meta({ example: 'Ask the bicycle shop' });

export const brandColor = z
  .string()
  .max(7)
  .regex(/^#[0-9A-Fa-f]{6}$/)
  .describe('The colour of the launcher and of buttons, as #rrggbb; what is written on it is black or white.')
  .meta({ example: '#1f6feb' });

export const launcherSide = z.enum(['start', 'end']).meta({
  id: 'LauncherSide',
  description:
    'Where a line of text begins or where it ends: left or right, and mirrored in right-to-left text.',
});

export const branding = z
  .strictObject({
    title: brandTitle
      .optional()
      .describe(
        'What the panel is headed with; absent: words of the service in the language of the visitor.',
      ),
    color: brandColor
      .optional()
      .describe("The colour of the launcher and of buttons, as #rrggbb; absent: the service's own."),
    launcher: launcherSide.describe('At which side of the page the launcher is.'),
  })
  .meta({ id: 'GuideBranding', description: 'How the guide looks on the pages of a workspace.' });

export const brandingChange = z
  .strictObject({
    title: brandTitle
      .nullable()
      .optional()
      .describe('What the panel is headed with; null for the words of the service.'),
    color: brandColor
      .nullable()
      .optional()
      .describe("The colour of the launcher and of buttons, as #rrggbb; null for the service's own."),
    launcher: launcherSide.optional(),
  })
  .meta({ id: 'GuideBrandingChange', description: 'What to change about the looks; the rest stays.' });
