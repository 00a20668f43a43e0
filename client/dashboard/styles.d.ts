/** Lets TypeScript accept style imports. */
declare module '*.css';
