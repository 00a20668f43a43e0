/** Lets TypeScript accept style imports. */
declare module '*.css';

/** A part of a catalog, which `scripts/build-dashboard.ts` splits. Without the build, both parts are the whole catalog. */
declare module '*.json?first' {
  const texts: import('./catalogs.ts').Messages;
  export default texts;
}
declare module '*.json?further' {
  const texts: import('./catalogs.ts').Messages;
  export default texts;
}

/** Shapes of the icons by name, as markup within an SVG; `scripts/build-dashboard.ts` provides them. */
declare module 'virtual:icons' {
  const shapes: Readonly<Record<string, string>>;
  export default shapes;
}
