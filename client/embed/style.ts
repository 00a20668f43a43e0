import type { BootReply } from '../sdk/index.ts';

/**
 * Styles of the launcher, and the variables of the panel. A constructed sheet, which a strict CSP allows. Sizes follow
 * `medium`, the visitor's text size; `rem` would follow the root element of the page.
 *
 * Forced colors show the border of the launcher. `--gp-tone` is the hue of the brand, as dark or light as text needs it. `--text` makes black or white of a color: one of the two
 * always has a contrast of at least 4.5. Variables that not every guide sets begin with `--gp-`: those of the page are inherited.
 */
export const LAUNCHER_STYLE = `
:host {
  all: initial !important;
  position: fixed !important;
  inset: auto !important;
  z-index: 2147483000 !important;
}
:host::backdrop { display: none !important; }
aside {
  --paper: var(--guidepost-paper, light-dark(#fff, #161b25));
  --ink: var(--guidepost-ink, light-dark(#1b2331, #e9edf5));
  --gp-tone: light-dark(oklch(from var(--gp-brand) min(l, .48) min(c, .13) h), oklch(from var(--gp-brand) max(l, .8) min(c, .1) h));
  --gp-on-brand: color(from var(--gp-brand) var(--text));
  --accent: var(--guidepost-accent, var(--gp-tone, light-dark(#1f55c4, #a4c0ff)));
  --y: clamp(0, (0.179 - y) * 9999, 1);
  --text: xyz-d65 calc(0.9505 * var(--y)) var(--y) calc(1.089 * var(--y));
  --on-accent: var(--guidepost-on-accent, color(from var(--accent) var(--text)));
  --shadow: 0 12px 40px light-dark(#0f193247, #0009);
  --block: var(--guidepost-offset-block, 1.25em);
  --inline: var(--guidepost-offset-inline, 1.25em);
  color-scheme: var(--guidepost-color-scheme, light dark);
  font: medium/1.5 var(--guidepost-font, system-ui), sans-serif;
  color: var(--ink);
}
:host([theme='light']) aside { color-scheme: light; }
:host([theme='dark']) aside { color-scheme: dark; }
[hidden] { display: none !important; }
.icon { inline-size: 1.5em; block-size: 1.5em; fill: none; stroke: currentcolor; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
.launcher {
  position: fixed; inset-block-end: var(--block); inset-inline: auto var(--inline);
  inline-size: 3.5em; block-size: 3.5em; padding: 0; font: inherit; cursor: pointer;
  display: grid; place-items: center;
  border: 2px solid #0000; border-radius: 50%; background: var(--gp-brand, var(--accent)); color: var(--gp-on-brand, var(--on-accent)); box-shadow: var(--shadow);
}
[data-side='start'] .launcher { inset-inline: var(--inline) auto; }
.launcher:hover { filter: brightness(1.1); }
.launcher:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
.launcher[aria-busy] { opacity: 0.6; }
@media print { :host { display: none !important; } }
`;

/** Adds styles in the visitor's text size. */
export function addStyle(shadow: ShadowRoot, style: string): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(buildPanelStyle(Number.parseFloat(getComputedStyle(shadow.host).fontSize), style));
  shadow.adoptedStyleSheets = [...shadow.adoptedStyleSheets, sheet];
}

/** Returns the styles with `rem` replaced by this text size: `rem` itself follows the page. */
export const buildPanelStyle = (textPixels: number, style: string) =>
  style.replace(/([\d.]+)rem/g, (_, times: string) => `${Number(times) * textPixels}px`);

export const PANEL_STYLE = `
:host { -webkit-user-select: text !important; user-select: text !important; }
*, *::before, *::after { box-sizing: border-box; }
.launcher[data-unread]::after { content: ''; position: absolute; inset-block-start: 0; inset-inline-end: 0; inline-size: 1em; block-size: 1em; border: 2px solid var(--paper); border-radius: 50%; background: #c8102e; }
aside {
  --soft: var(--guidepost-soft, light-dark(oklch(from var(--gp-brand, #1f55c4) 0.965 min(c / 20, 0.008) h), oklch(from var(--gp-brand, #1f55c4) 0.285 min(c / 6, 0.03) h)));
  --faint: var(--guidepost-faint, light-dark(#545e70, #b3bccb));
  --line: var(--guidepost-line, light-dark(#e2e7ef, #313b4d));
  --edge: var(--guidepost-edge, light-dark(#7c879a, #8d98ab));
}
h2, h3, p, ol, ul, blockquote { margin: 0; padding: 0; }
h2 { font-size: 1.0625rem; line-height: 1.3; overflow-wrap: anywhere; }
h3 { font-size: 0.8125rem; font-weight: 600; color: var(--faint); }
ul, .sources { list-style: none; }
[dir='rtl'] .icon-send { transform: scaleX(-1); }
.icon-stop { fill: currentcolor; }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

button, textarea { font: inherit; color: inherit; }
button:where(:not(.launcher)) { cursor: pointer; border: 1px solid var(--line); border-radius: 10px; background: var(--paper); padding: 0.4rem 0.8rem; min-block-size: 2rem; text-align: start; }
button:where(:not(.launcher):hover) { background: var(--soft); }
button:disabled { cursor: default; opacity: 0.6; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
textarea:focus-visible { outline-width: 2px; outline-offset: -1px; }
.panel:focus, .consent:focus, li:focus { outline: none; }
.consent:focus-visible, li:focus-visible { outline: 3px solid var(--accent); }

.panel {
  position: fixed; inset-block-end: var(--block); inset-inline: auto var(--inline);
  inline-size: min(25rem, calc(100% - 2.5rem)); block-size: min(40rem, calc(100% - var(--block) - 1.25rem));
  display: flex; flex-direction: column; overflow: clip;
  background: var(--paper); border: 1px solid var(--line); border-radius: var(--guidepost-radius, 16px); box-shadow: var(--shadow);
}
.panel[data-large] { inline-size: min(44rem, calc(100% - 2.5rem)); block-size: calc(100% - var(--block) - 1.25rem); }
.panel[data-aside], [data-side='start'] .panel { inset-inline: var(--inline) auto; }
[data-side='start'] .panel[data-aside] { inset-inline: auto var(--inline); }
@media (max-width: 30rem) {
  .panel.panel.panel { inset: auto 0 0; inline-size: 100%; block-size: 100%; border: 0; border-radius: 0; --gp-modal: true; }
  .panel.panel.panel[data-aside] { block-size: 50%; --gp-modal: false; }
}
@media (prefers-reduced-motion: no-preference) {
  .panel { transition: opacity 160ms, translate 160ms, display 160ms allow-discrete; }
  .panel[hidden] { opacity: 0; translate: 0 0.75rem; }
  @starting-style { .panel { opacity: 0; translate: 0 0.75rem; } }
  .launcher { transition: scale 120ms; }
  .launcher:hover { scale: 1.05; }
  .text > *, .after > *, .area:not([hidden]), .fresh { animation: appear 160ms; }
  @keyframes appear { from { opacity: 0; } }
  .answer > .status::after { animation: shimmer 1.4s linear infinite; }
  @keyframes shimmer { from { background-position: 200% 0; } }
}
header, footer { display: flex; align-items: center; justify-content: space-between; gap: 0.5rem; padding: 0.35rem 1rem; }
header { position: sticky; inset-block-start: 0; z-index: 1; background: var(--paper); border-block-end: 1px solid var(--line); gap: 0; }
footer { flex-wrap: wrap; gap: 0 0.75rem; padding-block: 0 0.35rem; min-block-size: 1.75rem; font-size: 0.75rem; color: var(--faint); }
footer .quiet { margin-inline: -0.4rem; }
.branding { margin-inline-start: auto; }
.quiet { border-color: transparent; background: transparent; padding: 0.25rem 0.4rem; }
header .quiet { display: grid; place-items: center; }
header h2 { flex: 1; text-align: -webkit-match-parent; text-align: match-parent; }
header [aria-pressed='true'] { background: var(--soft); }
.conversation { inline-size: 100%; display: flex; align-items: baseline; gap: 0.6rem; white-space: nowrap; }
.conversation span { flex: 1; overflow: hidden; text-overflow: ellipsis; text-align: -webkit-match-parent; text-align: match-parent; }
.conversation[aria-current] { border-color: var(--accent); font-weight: 600; }
@media (max-width: 46.5rem), (max-height: 29rem) { .enlarge { display: none !important; } }

.log { position: relative; flex: 1; overflow-y: auto; scroll-padding-block: 1rem; overscroll-behavior: contain; padding: 1rem; display: flex; flex-direction: column; gap: 1.1rem; }
.log:focus-visible { outline-offset: -3px; }
summary { min-block-size: 1.5rem; line-height: 1.5rem; cursor: pointer; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::after { content: ''; display: inline-block; inline-size: 0.4em; block-size: 0.4em; margin-inline-start: 0.5em; border: solid; border-width: 0 1.5px 1.5px 0; rotate: 45deg; translate: 0 -0.2em; }
[open] > summary::after { rotate: 225deg; translate: 0 0.05em; }
.disclosure { display: grid; gap: 0.3rem; max-block-size: 8.5rem; overflow-y: auto; line-height: 1.4; }
.disclosure:has(p, [open]) { flex: 1 0 100%; }
.disclosure summary { text-wrap: balance; }
.notice { display: grid; justify-items: start; gap: 0.4rem; }
.turn, .answer, .after { display: grid; gap: 0.6rem; }
.turn { align-content: start; }
.turn:last-child { min-block-size: calc(100% + var(--gp-cut, 0px)); }
.question { justify-self: end; max-inline-size: 85%; padding: 0.5rem 0.8rem; border-radius: 14px; border-end-end-radius: 4px; background: var(--gp-brand, var(--accent)); color: var(--gp-on-brand, var(--on-accent)); white-space: pre-wrap; overflow-wrap: anywhere; }
.area, .actions, .conversations, .sources, .page-quotes, .consent, .view { display: grid; grid-template-columns: 100%; gap: 0.4rem; }
.view { flex: 1; overflow-y: auto; padding: 1rem; gap: 0.7rem; align-content: start; }
.back { justify-self: start; margin-inline-start: -0.4rem; color: var(--accent); }
.back::before { content: '← '; content: '← ' / ''; }
[dir='rtl'] .back::before { content: '→ '; content: '→ ' / ''; }
.text > p:first-child { font-size: 1.0625rem; }
.text { display: grid; gap: 0.5rem; overflow-wrap: anywhere; }
.text p { white-space: pre-wrap; }
.text pre, .text code { margin: 0; font-family: monospace; font-size: 0.9em; background: var(--soft); border-radius: 4px; }
.text img { display: block; max-width: 100%; max-height: 20rem; border-radius: 8px; }
.text code { padding: 0.1em 0.3em; }
.text pre { padding: 0.6rem 0.7rem; overflow-x: auto; border-radius: 8px; }
.copyable { position: relative; min-inline-size: 0; }
.copyable > .tool { position: absolute; inset-block-start: 0.2rem; inset-inline-end: 0.2rem; background: var(--soft); }
.copyable > pre { padding-inline-end: 2.5rem; }
.table { overflow-x: auto; }
.table, .text pre { --ground: var(--paper); background: linear-gradient(90deg, var(--ground) 40%, transparent) local 0 0 / 2rem 100%, linear-gradient(-90deg, var(--ground) 40%, transparent) local 100% 0 / 2rem 100%, linear-gradient(90deg, var(--edge), transparent) 0 0 / 0.4rem 100%, linear-gradient(-90deg, var(--edge), transparent) 100% 0 / 0.4rem 100%, var(--ground); background-repeat: no-repeat; }
.text pre { --ground: var(--soft); }
.zoom { position: relative; display: block; inline-size: fit-content; }
.zoom > img { cursor: zoom-in; }
.zoom > .tool { position: absolute; inset-block-start: 0.3rem; inset-inline-end: 0.3rem; background: var(--paper); }
dialog { max-inline-size: 96vw; max-block-size: 96vh; padding: 0; border: 0; border-radius: 8px; cursor: zoom-out; }
dialog img { display: block; max-inline-size: 96vw; max-block-size: 96vh; object-fit: contain; }
dialog::backdrop { background: #000a; }
table { border-collapse: collapse; }
th, td { padding: 0.3rem 0.5rem; border-block-end: 1px solid var(--line); text-align: start; vertical-align: top; overflow-wrap: normal; }
.text ul, .text ol { padding-inline-start: 1.5rem; }
.text li + li:not(.choices > *), .text li > :is(ul, ol) { margin-block-start: 0.3rem; }
.text ::marker { color: var(--faint); font-weight: 600; }
.text ul { list-style: disc; }
.text ul.choices { padding: 0; list-style: none; }
.status, .note { font-size: 0.8125rem; color: var(--faint); }
.answer > .status { display: grid; gap: 0.5rem; }
.answer > .status::after, .skeleton { content: ''; block-size: 4rem; background: linear-gradient(100deg, var(--line) 40%, var(--soft) 50%, var(--line) 60%) 0 0 / 200% 100%; mask: linear-gradient(#000 0 0) 0 10% / 94% 0.75rem, linear-gradient(#000 0 0) 0 50% / 100% 0.75rem, linear-gradient(#000 0 0) 0 90% / 60% 0.75rem; mask-repeat: no-repeat; }
[dir='rtl'] .status::after { scale: -1 1; }
.note:empty, .answer > :empty { display: none; }
.marker { position: relative; min-block-size: 0; min-inline-size: 1.35rem; padding: 0 0.3rem; margin-inline-start: 0.15rem; border: 0; border-radius: 6px; background: var(--soft); color: var(--accent); font-size: 0.75rem; font-weight: 600; line-height: 1.5; text-align: center; }
.keep { white-space: nowrap; }
sup { font-size: inherit; line-height: 0; vertical-align: 0.35em; }
.sources, .page-quotes { font-size: 0.875rem; }
.sources { gap: 0; }
.sources li { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; padding-block: 0.15rem; overflow-wrap: anywhere; }
.sources .number { min-inline-size: 1.35rem; border-radius: 6px; background: var(--soft); color: var(--accent); font-size: 0.75rem; font-weight: 600; line-height: 1.5; text-align: center; }
.sources .title { flex: 1 1 70%; }
.sources .note { flex: 1 0 100%; padding-inline-start: 1.9rem; }
a { color: var(--accent); }
.way { display: inline-flex; align-items: center; padding: 0.3rem 0.8rem; border: 1px solid; border-radius: 10px; font-weight: 600; text-decoration: none; overflow-wrap: anywhere; }
.way:hover { background: var(--soft); }
blockquote { padding: 0.5rem 0.8rem; border-inline-start: 3px solid var(--accent); border-radius: 4px; background: var(--soft); }
.choices { display: flex; flex-wrap: wrap; gap: 0.4rem; }
.suggestion { font-size: 0.875rem; padding: 0.3rem 0.7rem; background: var(--soft); border-color: transparent; }
.suggestion:hover { border-color: var(--accent); }
.start { display: grid; gap: 1.1rem; padding-block-start: 0.6rem; }
.log:has(> .start) { background: linear-gradient(var(--soft), var(--paper) 14rem); }
header:has(+ .log:not([hidden]) > .start) { background: var(--soft); border-color: transparent; }
.greeting { font-size: 1.625rem; font-weight: 700; line-height: 1.2; letter-spacing: -0.015em; text-wrap: balance; word-break: auto-phrase; }
.start .choices { display: grid; gap: 0.5rem; }
.start .suggestion { inline-size: 100%; padding: 0.65rem 0.9rem; font-size: 0.9375rem; background: var(--paper); border-color: var(--line); }
.start .suggestion:hover { border-color: var(--accent); }
.browse { justify-self: start; display: flex; align-items: center; gap: 0.5rem; border-color: transparent; padding-inline: 0.4rem; margin-inline-start: -0.4rem; color: var(--accent); }
.browse:not(:hover) { background: none; }
.browse + .browse { margin-block-start: -0.8rem; }
.browse .icon { inline-size: 1.125rem; block-size: 1.125rem; }
.logo { max-block-size: 3rem; max-inline-size: 12rem; justify-self: start; }
.tools, .rating { display: flex; align-items: center; gap: 0.2rem; }
.tools { margin-inline-start: -0.4rem; }
.tools:not(:hover, :focus-within) .tool:not([aria-pressed='true'], [data-on]) { color: var(--faint); }
.tool { display: grid; place-items: center; inline-size: 2rem; block-size: 2rem; padding: 0; border-color: transparent; }
.tool .icon { inline-size: 1.125rem; block-size: 1.125rem; }
.icon-down { transform: rotate(180deg); }
.tool[aria-pressed='true'], .tool[data-on] { background: var(--accent); color: var(--on-accent); border-color: var(--accent); }
.action { justify-self: start; border-color: var(--accent); color: var(--accent); font-weight: 600; }
.trouble { display: grid; grid-template-columns: auto 1fr; gap: 0.5rem; padding: 0.6rem 0.8rem; border-radius: 10px; background: light-dark(#fdf0ef, #3a2224); }
.trouble > .icon { color: light-dark(#b3261e, #ff9d94); }
.trouble > .icon ~ :not(p) { grid-column: 2; }
.calm { grid-template-columns: 1fr; justify-items: start; background: var(--soft); }
.trouble details { font-size: 0.8125rem; color: var(--faint); }

.consent-area { max-block-size: 55%; overflow-y: auto; flex: none; }
.consent-area:not(:empty) { border-block-start: 1px solid var(--line); padding: 0.4rem 1rem; display: grid; gap: 0.4rem; background: var(--soft); }
.consent { font-size: 0.8125rem; }
.consent-line { display: flex; flex-wrap: wrap; align-items: center; gap: 0.2rem 0.6rem; }
.consent-line > :first-child { flex: 1 1 8rem; }
.consent h3, .more { display: inline; line-height: 1.4; }
.more { min-block-size: 1.5rem; padding: 0; border: 0; color: var(--accent); text-decoration: underline; }
.consent-line .choices { margin-inline-start: auto; display: grid; grid-auto-flow: column; grid-auto-columns: 1fr; }
@media (max-width: 16rem) { .consent-line .choices { grid-auto-flow: row; } }
.erase { justify-self: start; font-size: 0.8125rem; }
.sure.sure { border-color: light-dark(#b3261e, #ff9d94); background: light-dark(#b3261e, #ff9d94); color: light-dark(#fff, #161b25); font-weight: 600; }
.view h3 { font-size: 1rem; }
.view h3, .consent h3 { color: var(--ink); }
.choice { padding-block: 0.2rem; text-align: center; border: 2px solid var(--accent); font-weight: 600; }

form { display: flex; align-items: end; gap: 0.5rem; padding: 0.5rem 1rem 0.3rem; background: var(--paper); }
textarea { flex: 1; resize: none; max-block-size: 8rem; field-sizing: content; min-block-size: 2.75rem; padding: 0.5rem 0.7rem; border: 1px solid var(--edge); border-radius: 10px; background: var(--paper); }
textarea::placeholder { color: var(--faint); opacity: 1; }
.send { flex: none; inline-size: 2.75rem; block-size: 2.75rem; padding: 0; display: grid; place-items: center; border: 0; background: var(--gp-brand, var(--accent)); color: var(--gp-on-brand, var(--on-accent)); }
.microphone { border: 1px solid var(--edge); background: var(--paper); color: var(--accent); touch-action: none; }
.send:not(.microphone):hover { background: var(--gp-brand, var(--accent)); filter: brightness(1.1); }
:placeholder-shown ~ .send:has(.icon-send) { background: var(--soft); color: var(--accent); filter: none; }

@media (pointer: coarse) {
  button:not(.marker, .more), .way { min-block-size: 2.75rem; }
  .tool, header .quiet { min-inline-size: 2.75rem; }
  .marker::after { content: ''; position: absolute; inset: -0.7rem; }
}
@supports not (field-sizing: content) { textarea { min-block-size: 3.2rem; } }
@media (max-height: 29rem) {
  .panel, .panel[data-large] { inset-block-end: 0; block-size: 100%; inline-size: min(32rem, 100% - 2.5rem); }
  .log { padding-block: 0.5rem; }
  header { padding-block: 0; }
  form { padding-block: 0.3rem 0; }
  form > * { min-block-size: 2.5rem; }
  textarea { max-block-size: 4rem; padding-block: 0.4rem; }
  .send { inline-size: 2.5rem; block-size: 2.5rem; }
  footer, footer .quiet { min-block-size: 1.5rem; padding-block: 0; }
}
@media (max-height: 20rem) {
  .panel { overflow-y: auto; }
  .log { flex: 1 0 9rem; }
  .consent-area { max-block-size: none; }
}
@media (forced-colors: active) {
  .send, .question { border: 1px solid; }
  .tool[aria-pressed='true'] { outline: 3px solid Highlight; }
}
`;

/** Applies the colors and position that the workspace chose. */
export function applyBranding(
  aside: HTMLElement,
  host: Element,
  { color, launcher }: BootReply['config']['branding'],
): void {
  aside.dataset.side = host.getAttribute('position') || launcher;
  if (color) aside.style.setProperty('--gp-brand', color);
}
