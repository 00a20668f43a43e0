/** The folder of the package: above the sources' folders, or above dist/, where the bundle is. */
export const PACKAGE_ROOT = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../', import.meta.url);
