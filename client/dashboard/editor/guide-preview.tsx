import { useEffect, useRef } from 'react';
import { createRichText } from '../../embed/rich-text.ts';
import { buildPanelStyle, PANEL_STYLE } from '../../embed/style.ts';
import { getDirection } from '../languages.ts';
import { serviceUrl } from '../session.ts';

const TEXT_PIXELS = 16;
/** The colors that the launcher sets for the panel. */
const COLORS = `
aside {
  --paper: light-dark(#fff, #161b25);
  --ink: light-dark(#1b2331, #e9edf5);
  --accent: light-dark(#1f55c4, #a4c0ff);
  font: medium/1.5 system-ui, sans-serif;
  color: var(--ink);
  background: var(--paper);
  border-radius: 10px;
  padding: 1rem;
}
a { color: var(--accent); }
`;

type GuidePreviewProps = { text: string; locale: string };

/** Shows the text as the guide draws a quote of all of it, with the guide's code and styles. */
export default function GuidePreview({ text, locale }: GuidePreviewProps) {
  const holder = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const host = holder.current;
    if (!host) return;
    const shadow = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(buildPanelStyle(TEXT_PIXELS, PANEL_STYLE) + COLORS);
    shadow.adoptedStyleSheets = [sheet];
    const panel = document.createElement('aside');
    panel.role = 'presentation';
    const body = document.createElement('div');
    body.className = 'text';
    body.lang = locale;
    body.dir = getDirection(locale);
    panel.append(body);
    createRichText(body, serviceUrl).draw(text, [], true);
    shadow.replaceChildren(panel);
  }, [text, locale]);
  return <div ref={holder} className="guide-preview" />;
}
