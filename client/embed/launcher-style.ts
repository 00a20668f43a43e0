/**
 * The look of the launcher, and what the panel's style builds on. It is a constructed sheet, so that a strict CSP lets it through.
 * Sizes follow `medium`, the visitor's own text size: `rem` would follow the root of whatever page this is on.
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
