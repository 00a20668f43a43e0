import type { BootReply } from '../../generated/types.ts';
import { element, icon } from './element.ts';
import { BUBBLE, QUESTION } from './icons.ts';
import { addStyle } from './style.ts';

/** The launcher of a workspace that has chosen its picture or words. */

const STYLE = `
.launcher[data-label] { display: flex; align-items: center; gap: 0.6em; inline-size: auto; max-inline-size: calc(100vw - 2 * var(--inline)); padding-inline: 1.1em 1.3em; border-radius: 2em; font-weight: 600; }
`;

export function brandLauncher(
  launcher: HTMLElement,
  { icon: shape, logo, label }: BootReply['config']['branding'],
  apiUrl: string,
): void {
  const picture =
    shape === 'logo' && logo
      ? element('img', { class: 'icon', src: apiUrl + logo, alt: '' })
      : icon(shape === 'question' ? QUESTION : BUBBLE);
  launcher.replaceChildren(picture, label ?? '');
  launcher.toggleAttribute('data-label', label !== undefined);
  addStyle(launcher.getRootNode() as ShadowRoot, STYLE);
}
