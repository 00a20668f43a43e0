/** Limits of the help centre's settings. */
export const HELP_CENTRE_LIMITS = {
  titleCharsMax: 60,
  taglineCharsMax: 200,
  /** In the header, and as many in the footer. */
  linksMax: 8,
  linkLabelCharsMax: 40,
} as const;
