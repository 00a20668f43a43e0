import { z } from 'zod';
import { boundingBox, documentSize, pixels, scrollPosition, viewport } from './fields.ts';
import { LIMITS } from './limits.ts';

/**
 * Page context. Its shape is strict, but its content is untrusted: the service truncates, sanitizes
 * or drops it and never fails a turn.
 * So only the body limit bounds the texts here; the published lengths say how much is kept.
 */
const pageText = z.string().max(LIMITS.chatBodyBytesMax);

export const accessibilityHints = z
  .strictObject({
    label: pageText.optional().describe('The accessible name of the element.'),
    description: pageText.optional().describe('The accessible description of the element.'),
    state: pageText.optional().describe('States such as expanded, checked or disabled, as one string.'),
  })
  .meta({ id: 'AccessibilityHints', description: 'What assistive technology is told about a target.' });

export const captureTarget = z
  .strictObject({
    gp_id: pageText
      .min(1)
      .describe('A name for the element that stays the same while the page lives.')
      .meta({ example: 'wifi-settings' }),
    selector: pageText.optional().describe('A CSS selector; kept as data and never executed.'),
    role: pageText.optional().describe('The ARIA role, such as button or link.'),
    name: pageText.optional().describe('The visible or accessible name of the element.'),
    viewport_bbox: boundingBox.optional().describe('Where it stands in the visible part of the page.'),
    document_bbox: boundingBox.optional().describe('Where it stands in the whole page.'),
    confidence: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .describe('How sure the page is of this candidate, from 0 to 1.'),
    accessibility: accessibilityHints.optional().describe('What assistive technology is told about it.'),
    in_viewport: z.boolean().optional().describe('True when the visitor can see it without scrolling.'),
  })
  .meta({ id: 'CaptureTarget', description: 'A candidate for an action, backed by an element of the page.' });

export const capturePage = z
  .strictObject({
    title: pageText.optional().describe('The title of the page, as its tab shows it.'),
    url: pageText.optional().describe('The address of the page.'),
  })
  .meta({ id: 'CapturePage', description: 'Which page the visitor is on.' });

export const captureContext = z
  .strictObject({
    page: capturePage.optional().describe('The title and the address of the page.'),
    viewport: viewport.optional().describe('The visible part of the page.'),
    document: documentSize.optional().describe('The size of the whole page.'),
    scroll: scrollPosition.optional().describe('How far the page is scrolled.'),
    selected_text: pageText.optional().describe('What the visitor has selected on the page, when any.'),
    focused_target: captureTarget.optional().describe('The element that has the focus.'),
    targets: z
      .array(captureTarget)
      .max(1000)
      .optional()
      .describe(`Candidates for actions, best first; the first ${LIMITS.targetsKept} are kept.`),
  })
  .meta({
    id: 'CaptureContext',
    description: 'Structured page context. It grants no control over the browser.',
  });

export const viewportScreenshot = z
  .strictObject({
    data: pageText
      .describe('The picture as raw base64, without a data: prefix.')
      .meta({ example: '/9j/4AAQSkZJRgABAQAAAQABAAD/2Q==' }),
    mime: z
      .string()
      .max(255)
      .describe('The media type; only image/jpeg is kept.')
      .meta({ example: 'image/jpeg' }),
    width: pixels.describe('The width of the picture in pixels.'),
    height: pixels.describe('The height of the picture in pixels.'),
  })
  .meta({
    id: 'ViewportScreenshot',
    description:
      'A picture of what the visitor sees. Dropped with a notice when it is oversized or malformed.',
  });

export type CaptureContext = z.infer<typeof captureContext>;
export type CaptureTarget = z.infer<typeof captureTarget>;
export type ViewportScreenshot = z.infer<typeof viewportScreenshot>;
