import type { Element, ElementContent, Nodes, Root, RootContent } from 'hast';

/** Reads and changes a tree of HTML (hast). The depth is limited beforehand, so recursion is safe. */

export type { Element, ElementContent, Nodes, Root, RootContent };

type Child = RootContent | ElementContent;

export const isElement = (node: Nodes | undefined): node is Element => node?.type === 'element';

export const isTag = (node: Nodes | undefined, ...names: readonly string[]): boolean =>
  isElement(node) && names.includes(node.tagName);

/** Returns the value of an attribute, with lists such as `class` joined by spaces, or undefined if it is absent. */
export function getAttribute({ properties }: Element, name: string): string | undefined {
  const value = properties[name];
  if (value === undefined || value === null || value === false) return undefined;
  return Array.isArray(value) ? value.join(' ') : value === true ? '' : String(value);
}

export const getClasses = (element: Element): string => getAttribute(element, 'className') ?? '';

export function getText(node: Nodes): string {
  if (node.type === 'text') return node.value;
  if (isTag(node, 'br')) return '\n';
  return 'children' in node ? node.children.map(getText).join('') : '';
}

export const getWords = (node: Nodes): string => getText(node).replace(/\s+/g, ' ').trim();

/** Yields every element below a node, in document order. */
export function* walkElements(node: Nodes): Generator<Element> {
  if (!('children' in node)) return;
  for (const child of node.children) {
    if (!isElement(child)) continue;
    yield child;
    yield* walkElements(child);
  }
}

export function findElement(node: Nodes, matches: (element: Element) => boolean): Element | undefined {
  for (const element of walkElements(node)) if (matches(element)) return element;
  return undefined;
}

export const hasElement = (node: Nodes, ...names: readonly string[]): boolean =>
  findElement(node, (element) => isTag(element, ...names)) !== undefined;

/** Replaces each element below a node by the function's result; undefined keeps it. Inner elements come first. */
export function replaceChildren(
  node: Root | Element,
  replace: (child: Element, parent: Root | Element) => readonly Child[] | undefined,
): void {
  node.children = (node.children as Child[]).flatMap((child): readonly Child[] => {
    if (!isElement(child)) return [child];
    replaceChildren(child, replace);
    return replace(child, node) ?? [child];
  }) as ElementContent[];
}

/** Removes elements with their content. Parents come first. The function also gets the element before, if it is in the same parent. */
export function removeElements(
  node: Root | Element,
  isUnwanted: (element: Element, ancestors: readonly Element[], before: Element | undefined) => boolean,
  ancestors: readonly Element[] = [],
): void {
  let before: Element | undefined;
  node.children = (node.children as Child[]).filter((child) => {
    if (!isElement(child)) return true;
    const isKept = !isUnwanted(child, ancestors, before);
    before = child;
    return isKept;
  }) as ElementContent[];
  for (const child of node.children) {
    if (isElement(child)) removeElements(child, isUnwanted, [...ancestors, child]);
  }
}

export const createElement = (
  tagName: string,
  children: readonly ElementContent[],
  properties: Element['properties'] = {},
): Element => ({ type: 'element', tagName, properties, children: [...children] });

export const createText = (value: string): ElementContent => ({ type: 'text', value });

/** Measures the longest path from the root, without recursion. */
export function measureDepth(root: Root): number {
  let depth = 0;
  let level: readonly Nodes[] = [root];
  while (level.length > 0) {
    depth += 1;
    level = level.flatMap((node) => ('children' in node ? (node.children as Nodes[]) : []));
  }
  return depth;
}
