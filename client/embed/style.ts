import type { BootReply } from '../sdk/index.ts';

/**
 * Styles of the launcher, and the variables of the panel. A constructed sheet, which a strict CSP allows. Sizes follow
 * `medium`, the visitor's text size; `rem` would follow the root element of the page.
 */
export const LAUNCHER_STYLE = `
:host {
  all: initial !important;
  position: fixed !important;
  inset: auto !important;
  z-index: 2147483000 !important;
}
aside {
  --paper: var(--guidepost-paper, light-dark(#fff, #161b25));
  --soft: var(--guidepost-soft, light-dark(#f1f4f9, #232b3a));
  --ink: var(--guidepost-ink, light-dark(#1b2331, #e9edf5));
  --faint: var(--guidepost-faint, light-dark(#545e70, #b3bccb));
  --line: var(--guidepost-line, light-dark(#7c879a, #8d98ab));
  --accent: var(--guidepost-accent, light-dark(#1f55c4, #a4c0ff));
  --on-accent: var(--guidepost-on-accent, light-dark(#fff, #0e1626));
  --shadow: 0 12px 40px light-dark(#0f193247, #0009);
  color-scheme: var(--guidepost-color-scheme, light dark);
  font: medium/1.5 var(--guidepost-font, system-ui), sans-serif;
  color: var(--ink);
}
[hidden] { display: none !important; }
.icon { inline-size: 1.5em; block-size: 1.5em; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.launcher {
  position: fixed; inset-block-end: 1.25em; inset-inline: auto 1.25em;
  inline-size: 3.5em; block-size: 3.5em; padding: 0; font: inherit; cursor: pointer;
  display: grid; place-items: center;
  border: 0; border-radius: 50%; background: var(--brand, var(--accent)); color: var(--on-brand, var(--on-accent)); box-shadow: var(--shadow);
}
[data-side='start'] .launcher { inset-inline: 1.25em auto; }
.launcher:hover { filter: brightness(1.1); }
.launcher:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
.launcher[aria-busy] { opacity: 0.6; }
@media (forced-colors: active) { .launcher { border: 2px solid ButtonText; } }
@media print { :host { display: none !important; } }
`;

/** Styles of the panel, with `rem` as the visitor's text size instead of that of the page. */
export const buildPanelStyle = (textPixels: number) =>
  PANEL_STYLE.replace(/([\d.]+)rem/g, (_, times: string) => `${Number(times) * textPixels}px`);

const PANEL_STYLE = `
*, *::before, *::after { box-sizing: border-box; }
h2, h3, p, ol, ul, blockquote { margin: 0; padding: 0; }
h2 { font-size: 1.0625rem; line-height: 1.3; overflow-wrap: anywhere; }
h3 { font-size: 0.8125rem; font-weight: 600; color: var(--faint); }
ul { list-style: none; }
[dir='rtl'] .icon-send { transform: scaleX(-1); }
.icon-stop { fill: currentcolor; }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

button, textarea { font: inherit; color: inherit; }
button:where(:not(.launcher)) { cursor: pointer; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); padding: 0.4rem 0.8rem; min-block-size: 2rem; text-align: start; }
button:where(:not(.launcher):hover) { background: var(--soft); }
button:disabled { cursor: default; opacity: 0.6; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.panel:focus, .consent:focus, li:focus { outline: none; }
.consent:focus-visible, li:focus-visible { outline: 3px solid var(--accent); }

.panel {
  position: fixed; inset-block-end: 1.25rem; inset-inline: auto 1.25rem;
  inline-size: min(25rem, calc(100vw - 2.5rem)); block-size: min(40rem, calc(100dvh - 2.5rem));
  display: flex; flex-direction: column; overflow: hidden;
  background: var(--paper); border: 1px solid var(--line); border-radius: var(--guidepost-radius, 16px); box-shadow: var(--shadow);
}
.panel[data-aside], [data-side='start'] .panel { inset-inline: 1.25rem auto; }
[data-side='start'] .panel[data-aside] { inset-inline: auto 1.25rem; }
@media (max-width: 30rem) {
  .panel.panel.panel { inset: auto 0 0; inline-size: 100%; block-size: 100dvh; border: 0; border-radius: 0; --modal: true; }
  .panel.panel.panel[data-aside] { block-size: 50dvh; --modal: false; }
}
@media (prefers-reduced-motion: no-preference) {
  .panel { animation: rise 160ms; }
  .frame { animation: beat 900ms ease-in-out 3; }
  .microphone[data-on] { animation: listen 1.2s ease-in-out infinite; }
  @keyframes rise { from { opacity: 0; transform: translateY(12px); } }
  @keyframes beat { 50% { outline-offset: 8px; } }
  @keyframes listen { 50% { box-shadow: 0 0 0 6px var(--line); } }
}
header, footer { display: flex; align-items: center; justify-content: space-between; gap: 0.5rem; padding: 0.6rem 1rem; }
header { border-block-end: 1px solid var(--line); }
footer { padding-block: 0.2rem 0.5rem; font-size: 0.8125rem; color: var(--faint); }
.quiet { border-color: transparent; background: transparent; padding: 0.25rem 0.4rem; }
header .quiet { display: grid; place-items: center; }

.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 1rem; display: flex; flex-direction: column; gap: 0.9rem; }
.log:focus-visible { outline-offset: -3px; }
.disclosure { display: grid; gap: 0.5rem; padding: 0.6rem 0.8rem; border-inline-start: 3px solid var(--accent); background: var(--soft); border-radius: 6px; font-size: 0.875rem; }
.question { align-self: end; max-inline-size: 85%; padding: 0.5rem 0.8rem; border-radius: 14px; background: var(--brand, var(--accent)); color: var(--on-brand, var(--on-accent)); white-space: pre-wrap; overflow-wrap: anywhere; }
.answer { display: grid; gap: 0.6rem; }
.passage { flex: 1; overflow-y: auto; padding: 1rem; display: grid; gap: 0.7rem; align-content: start; }
.passage blockquote { white-space: pre-wrap; overflow-wrap: anywhere; }
.passage .back { justify-self: start; }
.text { display: grid; gap: 0.5rem; overflow-wrap: anywhere; }
.text p, .text pre { white-space: pre-wrap; }
.text pre, .text code { margin: 0; font-family: monospace; font-size: 0.9em; background: var(--soft); border-radius: 4px; }
.text pre { padding: 0.5rem; overflow-x: auto; }
.text ul, .text ol { padding-inline-start: 1.4rem; }
.text ul { list-style: disc; }
.status, .note { font-size: 0.8125rem; color: var(--faint); }
.note:empty { display: none; }
.area, .actions { display: grid; gap: 0.4rem; }
.after { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.suggestions, .contact, .rating, .trouble { flex: 1 0 100%; }
.after:empty { display: none; }
.marker { min-block-size: 0; padding: 0 0.35rem; margin-inline-start: 0.15rem; border-radius: 6px; font-size: 0.75rem; line-height: 1.4; vertical-align: super; }
sup { font-size: inherit; line-height: 0; vertical-align: baseline; }
.sources, .page-quotes { display: grid; gap: 0.4rem; font-size: 0.875rem; }
.sources { padding-inline-start: 1.6rem; }
a { color: var(--accent); }
.way { display: inline-block; padding: 0.4rem 0.8rem; border: 1px solid var(--line); border-radius: 10px; overflow-wrap: anywhere; }
blockquote { margin-block-start: 0.2rem; padding-inline-start: 0.6rem; border-inline-start: 2px solid var(--line); }
.choices { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.suggestion { font-size: 0.9375rem; }
.proposal { display: grid; gap: 0.3rem; }
.action { justify-self: start; border-color: var(--accent); color: var(--accent); font-weight: 600; }
.rating { display: flex; align-items: center; gap: 0.4rem; font-size: 0.875rem; color: var(--faint); }
.rate[aria-pressed='true'] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
.trouble { display: grid; gap: 0.5rem; padding: 0.6rem 0.8rem; border: 1px solid var(--line); border-radius: 10px; }

.consent-area { max-block-size: 55%; overflow-y: auto; flex: none; }
.consent-area:not(:empty) { border-block-start: 1px solid var(--line); padding: 0.8rem 1rem; display: grid; gap: 0.4rem; background: var(--soft); }
.consent { display: grid; gap: 0.5rem; font-size: 0.875rem; }
.passage h3, .consent h3 { font-size: 1rem; color: var(--ink); }
.choice { flex: 1 1 8rem; text-align: center; border: 2px solid var(--accent); font-weight: 600; }

form { display: flex; align-items: end; gap: 0.5rem; padding: 0.7rem 1rem 0.3rem; border-block-start: 1px solid var(--line); }
textarea { flex: 1; resize: none; max-block-size: 8rem; field-sizing: content; min-block-size: 3.2rem; padding: 0.5rem 0.7rem; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); }
textarea::placeholder { color: var(--faint); opacity: 1; }
.send { flex: none; inline-size: 2.75rem; block-size: 2.75rem; padding: 0; display: grid; place-items: center; border: 0; background: var(--brand, var(--accent)); color: var(--on-brand, var(--on-accent)); }
.send:hover { background: var(--brand, var(--accent)); filter: brightness(1.1); }

.microphone.microphone { border: 1px solid var(--line); background: var(--paper); color: var(--accent); touch-action: none; }
.microphone[data-on] { background: var(--accent); color: var(--on-accent); }
.voice-note { padding: 0.5rem 1rem 0; }

.frame {
  position: fixed; pointer-events: none; border: 4px solid var(--accent); border-radius: 10px; z-index: -1;
  outline: 3px solid var(--paper); box-shadow: 0 0 0 200vmax #0007;
}
@media (max-height: 30rem) {
  .panel { overflow-y: auto; }
  .log { flex: 1 0 9rem; min-block-size: 9rem; }
  .consent-area { max-block-size: none; }
  textarea { max-block-size: 4rem; }
}
@media (forced-colors: active) {
  .frame { border-color: Highlight; }
  .send, .action, .question { border: 1px solid; }
  .rate[aria-pressed='true'], .microphone[data-on] { outline: 3px solid Highlight; }
}
`;

/** Applies the colors and position that the workspace chose. */
export function applyBranding(
  aside: HTMLElement,
  { color, launcher }: BootReply['config']['branding'],
): void {
  aside.dataset.side = launcher;
  if (color === undefined) return;
  aside.style.setProperty('--brand', color);
  aside.style.setProperty('--on-brand', getTextColor(color));
}

/** Black or white: one of the two always has a contrast of at least 4.5. */
function getTextColor(color: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000000' : '#ffffff';
}
