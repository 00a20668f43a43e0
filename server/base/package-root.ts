/** Whether the bundle runs in place of the sources. */
export const IS_BUNDLE = import.meta.url.endsWith('.js');

/** The folder of the package: above the folders of the sources, or above dist/, which contains the bundle. */
export const PACKAGE_ROOT = new URL(IS_BUNDLE ? '../' : '../../', import.meta.url);
