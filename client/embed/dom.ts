/**
 * The browser's own methods and properties of elements. A form has its controls as properties, and the document its forms and
 * images, which hide those of the same name.
 */

type Method<Of, Name extends keyof Of> = Of[Name] extends (...args: infer Args) => infer Result
  ? (of: Of, ...args: Args) => Result
  : never;

function method<Of, Name extends keyof Of>(prototype: Of, name: Name): Method<Of, Name> {
  const own = prototype[name] as () => unknown;
  return ((of: Of, ...args: never[]) => Reflect.apply(own, of, args)) as Method<Of, Name>;
}

function property<Of, Name extends keyof Of>(prototype: Of, name: Name): (of: Of) => Of[Name] {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name) as { get: () => Of[Name] };
  return (of) => Reflect.apply(get, of, []);
}

/** By their heirs: pages have classes named `Element`, `Node` and `Document`. */
const element: Element = Object.getPrototypeOf(HTMLElement.prototype);
const node: Node = Object.getPrototypeOf(element);
const page: Document = Object.getPrototypeOf(HTMLDocument.prototype);

export const checkVisibility = method(element, 'checkVisibility');
export const closest = method(element, 'closest') as (of: Element, selector: string) => Element | null;
export const contains = method(node, 'contains');
export const getAttribute = method(element, 'getAttribute');
export const getBox = method(element, 'getBoundingClientRect');
export const getRoot = method(node, 'getRootNode');
export const hasAttribute = method(element, 'hasAttribute');
export const matches = method(element, 'matches') as (of: Element, selector: string) => boolean;
export const find = method(element, 'querySelector') as (of: Element, selector: string) => Element | null;
export const findAll = method(element, 'querySelectorAll') as (
  of: Element,
  selector: string,
) => NodeListOf<Element>;

const getNodeType = property(node, 'nodeType');
export const isElement = (of: Node): of is Element => getNodeType(of) === 1;
export const isText = (of: Node): of is Text => getNodeType(of) === 3;

export const getFirstChild = property(node, 'firstChild');
const getFirstOfElement = property(element as ParentNode, 'firstElementChild');
export const getFirstElement = (of: ParentNode): Element | null =>
  isElement(of) ? getFirstOfElement(of) : of.firstElementChild;
export const getLocalName = property(element, 'localName');
export const getNextElement = property(element, 'nextElementSibling');
export const getNextNode = property(node, 'nextSibling');
export const getShadow = property(element, 'shadowRoot');
export const getTextContent = property(node, 'textContent');

const getPageTitle = property(page, 'title');
const getPageBody = property(page, 'body');
export const getTitle = (): string => getPageTitle(document);
export const getBody = (): HTMLElement => getPageBody(document);
