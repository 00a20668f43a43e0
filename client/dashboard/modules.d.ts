/** Lets TypeScript accept style imports. */
declare module '*.css';

/** Shapes of the icons by name, as markup within an SVG; `scripts/build-dashboard.ts` provides them. */
declare module 'virtual:icons' {
  const shapes: Readonly<Record<string, string>>;
  export default shapes;
}
