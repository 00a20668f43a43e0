import type { ViewportScreenshot } from '../sdk/index.ts';
import { HOST_NAME } from './host-name.ts';
import { isSecretField, isVisible, NOT_READ } from './readable.ts';

/**
 * A screenshot, drawn from the page because browsers do not provide one without screen sharing: boxes, text, and images of
 * the same origin. It leaves out typed and private text. Other images, frames and canvases are grey.
 */

const SIDE_MAX = 1280;
const QUALITY = 0.6;
const BASE64_CHARS_MAX = 2_000_000;
const SLICE_MILLIS = 10;
const MILLIS_MAX = 1500;
const GREY = '#c4c8d0';

type Box = { left: number; top: number; right: number; bottom: number };

export async function takeScreenshot(): Promise<ViewportScreenshot | undefined> {
  const view: Box = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
  const scale = Math.min(1, SIDE_MAX / Math.max(innerWidth, innerHeight));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(innerWidth * scale);
  canvas.height = Math.round(innerHeight * scale);
  const context = canvas.getContext('2d', { alpha: false });
  if (!context || canvas.width === 0 || canvas.height === 0) return undefined;
  context.scale(scale, scale);
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, innerWidth, innerHeight);
  // The root or the body sets the background of the page.
  for (const root of [document.body, document.documentElement])
    fill(context, view, view, getComputedStyle(root).backgroundColor);
  context.textBaseline = 'middle';
  if (!(await drawPage(context, view))) return undefined;
  // An image that redirected to another origin taints the canvas; then there is no screenshot.
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  const data = blob ? await toBase64(blob) : '';
  if (data === '' || data.length > BASE64_CHARS_MAX) return undefined;
  return { data, mime: 'image/jpeg', width: canvas.width, height: canvas.height };
}

function toBase64(blob: Blob): Promise<string> {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.onloadend = () => resolve(String(reader.result ?? '').split(',')[1] ?? '');
    reader.readAsDataURL(blob);
  });
}

/** Draws in slices to keep the page responsive; false when it takes too long. */
async function drawPage(context: CanvasRenderingContext2D, view: Box): Promise<boolean> {
  const endsAt = performance.now() + MILLIS_MAX;
  let sliceEndsAt = performance.now() + SLICE_MILLIS;
  // Parts in higher layers are drawn last.
  const upperLayers: { part: Element; clip: Box; layer: number }[] = [];

  async function draw(part: Element, clip: Box, isOnTop = false): Promise<void> {
    if (performance.now() > sliceEndsAt) {
      await new Promise((resolve) => setTimeout(resolve));
      sliceEndsAt = performance.now() + SLICE_MILLIS;
    }
    if (performance.now() > endsAt || part.localName === HOST_NAME) return;
    const style = getComputedStyle(part);
    if (style.display === 'none') return;
    const layer = getLayer(style);
    if (layer > 0 && !isOnTop) return void upperLayers.push({ part, clip, layer });
    const box = part.getBoundingClientRect();
    const inner = style.overflow === 'visible' ? clip : intersect(clip, box);
    if (isVisible(part) || style.display === 'contents') {
      if (part.matches(NOT_READ))
        return part.matches('[data-gp-private]') ? fill(context, box, clip, GREY) : undefined;
      if (part instanceof HTMLLabelElement && part.control && isSecretField(part.control)) return;
      drawBox(context, part, style, box, clip);
      if (part.matches('input, textarea, select, svg, img, canvas, video, iframe')) return;
      drawText(context, part, style, inner);
    }
    if (part.shadowRoot) for (const child of Array.from(part.shadowRoot.children)) await draw(child, inner);
    for (const child of Array.from(part.children)) await draw(child, inner);
  }

  await draw(document.documentElement, view);
  while (upperLayers.length > 0) {
    const next = upperLayers.sort((a, b) => a.layer - b.layer).shift() as (typeof upperLayers)[number];
    await draw(next.part, next.clip, true);
  }
  return performance.now() < endsAt;
}

function getLayer({ position, zIndex }: CSSStyleDeclaration): number {
  if (position === 'static') return 0;
  const height = Number.parseInt(zIndex, 10) || 0;
  return position === 'fixed' || position === 'sticky' ? Math.max(height, 1) : Math.max(height, 0);
}

function intersect(one: Box, other: Box): Box {
  return {
    left: Math.max(one.left, other.left),
    top: Math.max(one.top, other.top),
    right: Math.min(one.right, other.right),
    bottom: Math.min(one.bottom, other.bottom),
  };
}

function fill(context: CanvasRenderingContext2D, box: Box, clip: Box, color: string): void {
  const { left, top, right, bottom } = intersect(box, clip);
  if (right <= left || bottom <= top) return;
  context.fillStyle = color;
  context.fillRect(left, top, right - left, bottom - top);
}

function drawBox(
  context: CanvasRenderingContext2D,
  part: Element,
  style: CSSStyleDeclaration,
  box: DOMRect,
  clip: Box,
): void {
  const { left, top, right, bottom } = intersect(box, clip);
  if (right <= left || bottom <= top) return;
  fill(context, box, clip, style.backgroundColor);
  const width = Number.parseFloat(style.borderTopWidth);
  if (width > 0 && style.borderTopStyle !== 'none') {
    context.strokeStyle = style.borderTopColor;
    context.lineWidth = width;
    context.strokeRect(left + width / 2, top + width / 2, right - left - width, bottom - top - width);
  }
  if (part instanceof HTMLImageElement && isSameOrigin(part) && part.complete && part.naturalWidth > 0)
    context.drawImage(part, box.left, box.top, box.width, box.height);
  else if (part.matches('img, canvas, video, iframe')) fill(context, box, clip, GREY);
}

function isSameOrigin({ currentSrc }: HTMLImageElement): boolean {
  return currentSrc.startsWith('data:image/') || currentSrc.startsWith(`${location.origin}/`);
}

/** Draws word by word; words that wrap are drawn letter by letter. */
function drawText(
  context: CanvasRenderingContext2D,
  part: Element,
  style: CSSStyleDeclaration,
  clip: Box,
): void {
  const range = document.createRange();
  context.font = style.font || `${style.fontSize} ${style.fontFamily}`;
  context.fillStyle = style.color;
  for (const node of Array.from(part.childNodes)) {
    if (!(node instanceof Text) || node.data.trim() === '') continue;
    range.selectNodeContents(node);
    if (!isWithin(range.getBoundingClientRect(), clip)) continue;
    for (const { 0: word, index } of node.data.matchAll(/\S+/g)) {
      range.setStart(node, index);
      range.setEnd(node, index + word.length);
      if (range.getClientRects().length <= 1) write(context, style, range, word, clip);
      else
        for (let at = 0; at < word.length; at += 1) {
          range.setStart(node, index + at);
          range.setEnd(node, index + at + 1);
          write(context, style, range, word.charAt(at), clip);
        }
    }
  }
}

function write(
  context: CanvasRenderingContext2D,
  { textTransform }: CSSStyleDeclaration,
  range: Range,
  text: string,
  clip: Box,
): void {
  const box = range.getBoundingClientRect();
  if (!isWithin(box, clip)) return;
  context.fillText(
    textTransform === 'uppercase' ? text.toUpperCase() : text,
    box.left,
    box.top + box.height / 2,
  );
}

function isWithin({ left, right, top, bottom }: DOMRect, clip: Box): boolean {
  return right > clip.left && left < clip.right && bottom > clip.top && top < clip.bottom;
}
