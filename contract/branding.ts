import { z } from 'zod';
import { LIMITS } from './limits.ts';

/** Appearance of the guide, shared by boot and the settings. */

export const brandTitle = z
  .string()
  .min(1)
  .max(LIMITS.brandTitleCharsMax)
  .regex(/\S/)
  .describe('Title of the panel, on one line. Not empty.')
  .meta({ example: 'Ask the bicycle shop' });

export const brandColor = z
  .string()
  .max(7)
  .regex(/^#[0-9A-Fa-f]{6}$/)
  .describe('Color of the launcher and buttons, as #rrggbb. Text on it is black or white.')
  .meta({ example: '#1f6feb' });

export const launcherSide = z.enum(['start', 'end']).meta({
  id: 'LauncherSide',
  description: 'Side of the page: start or end of the line, mirrored in right-to-left text.',
});

export const branding = z
  .strictObject({
    title: brandTitle
      .optional()
      .describe("Title of the panel. If absent, a default in the visitor's language is used."),
    color: brandColor
      .optional()
      .describe('Color of the launcher and buttons, as #rrggbb. If absent, the default is used.'),
    launcher: launcherSide.describe('Side of the page that the launcher is on.'),
  })
  .meta({ id: 'GuideBranding', description: 'Appearance of the guide.' });

export const brandingChange = z
  .strictObject({
    title: brandTitle.nullable().optional().describe('Title of the panel, or `null` for the default.'),
    color: brandColor
      .nullable()
      .optional()
      .describe('Color of the launcher and buttons as #rrggbb, or `null` for the default.'),
    launcher: launcherSide.optional(),
  })
  .meta({
    id: 'GuideBrandingChange',
    description: 'Changes to the appearance. Omitted fields stay unchanged.',
  });
