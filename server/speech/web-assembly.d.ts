/** The part of WebAssembly that this room uses; TypeScript knows it only together with everything else of a browser. */
declare namespace WebAssembly {
  type Module = object;
  type Instance = { readonly exports: Readonly<Record<string, unknown>> };
  type Memory = { readonly buffer: ArrayBuffer };
  type Imports = Readonly<Record<string, Readonly<Record<string, (...args: never[]) => unknown>>>>;
  function compile(bytes: Uint8Array): Promise<Module>;
  function instantiate(module: Module, imports: Imports): Promise<Instance>;
}
