/** The names of the guide's element, and of those in which a page wants a button that opens the search. */
export const HOST_NAME = 'guidepost-guide';
export const SEARCH_NAME = 'guidepost-search';
