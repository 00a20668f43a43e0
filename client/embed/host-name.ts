/** The name of the guide's element. */
export const HOST_NAME = 'guidepost-guide';
