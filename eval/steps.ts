/** The steps of procedures, verbatim from the articles. */

/**
 * Articles of the GNOME help whose text has no marks for steps, with the paragraphs that are steps, counted
 * from the end as translations lack some paragraphs at the beginning.
 */
const STEPS: Readonly<Record<string, readonly [first: number, last: number]>> = {
  'a11y-bouncekeys': [-8, -4],
  'a11y-contrast': [-5, -3],
  'a11y-dwellclick': [-9, -6],
  'a11y-font-size': [-6, -4],
  'a11y-mag': [-9, -6],
  'a11y-right-click': [-9, -6],
  'a11y-slowkeys': [-10, -6],
  'a11y-stickykeys': [-12, -8],
  'a11y-visualalert': [-6, -2],
  'accounts-add': [-9, -3],
  'accounts-disable-service': [-7, -3],
  'accounts-remove': [-6, -2],
  'bluetooth-connect-device': [-12, -8],
  'bluetooth-remove-connection': [-5, -2],
  'bluetooth-send-file': [-9, -3],
  'bluetooth-turn-on-off': [-8, -6],
  'clock-set': [-7, -3],
  'clock-timezone': [-6, -2],
  'clock-world': [-8, -2],
  'color-assignprofiles': [-9, -4],
  'color-calibrate-screen': [-8, -3],
  'color-howtoimport': [-7, -2],
  'contacts-add-remove': [-9, -6],
  'contacts-edit-details': [-6, -1],
  'contacts-link-unlink': [-8, -6],
  'disk-benchmark': [-8, -4],
  'disk-check': [-8, -6],
  'disk-format': [-10, -6],
  'display-blank': [-4, -2],
  'display-dual-monitors': [-17, -10],
  'display-night-light': [-7, -2],
  'files-copy': [-16, -13],
  'files-open': [-6, -3],
  'files-recover': [-6, -3],
  'files-rename': [-16, -15],
  'files-share': [-5, -1],
  'keyboard-cursor-blink': [-5, -1],
  'keyboard-layouts': [-14, -11],
  'keyboard-osk': [-8, -5],
  'keyboard-repeat-keys': [-6, -2],
  'look-background': [-9, -4],
  'look-resolution': [-17, -13],
  'mouse-doubleclick': [-5, -3],
  'mouse-lefthanded': [-4, -2],
  'mouse-mousekeys': [-10, -8],
  'mouse-sensitivity': [-4, -2],
  'nautilus-bookmarks-edit': [-9, -8],
  'net-default-browser': [-4, -2],
  'net-default-email': [-3, -1],
  'net-fixed-ip-address': [-8, -1],
  'net-manual': [-11, -1],
  'net-vpn-connect': [-9, -4],
  'net-wireless-adhoc': [-7, -4],
  'net-wireless-airplane': [-4, -2],
  'net-wireless-connect': [-11, -6],
  'net-wireless-hidden': [-11, -4],
  'net-wrongnetwork': [-5, -2],
  'power-autobrightness': [-4, -2],
  'power-autosuspend': [-5, -2],
  'power-closelid': [-5, -1],
  'power-percentage': [-3, -1],
  'power-profile': [-3, -1],
  'power-whydim': [-3, -1],
  'power-wireless': [-3, -1],
  'printing-2sided': [-5, -4],
  'printing-cancel-job': [-12, -10],
  'printing-differentsize': [-9, -6],
  'printing-select': [-4, -1],
  'printing-setup-default-printer': [-6, -2],
  'printing-to-file': [-6, -1],
  'privacy-location': [-4, -2],
  'privacy-screen-lock': [-5, -3],
  'session-fingerprint': [-11, -5],
  'session-formats': [-8, -4],
  'session-language': [-9, -5],
  'session-screenlocks': [-4, -2],
  'sharing-media': [-11, -3],
  'shell-apps-auto-start': [-6, -2],
  'shell-apps-favorites': [-7, -4],
  'sound-alert': [-4, -1],
  'sound-usemic': [-4, -2],
  'sound-usespeakers': [-4, -1],
  'user-add': [-13, -4],
  'user-admin-change': [-8, -4],
  'user-autologin': [-7, -3],
  'user-changepassword': [-9, -4],
  'user-delete': [-6, -2],
  'wacom-left-handed': [-4, -1],
};

type Procedure = {
  slug: string;
  answer: string;
  /** The heading above the steps, in an article with several procedures. */
  under?: string | undefined;
};

/** Returns the steps of a procedure: the numbered lines, else the paragraphs that STEPS names. */
export function findSteps({ slug, answer, under }: Procedure): string[] {
  const section = answer.slice(under === undefined ? 0 : answer.indexOf(under));
  const steps: string[] = [];
  for (const line of section.split('\n').slice(under === undefined ? 0 : 1)) {
    const step = /^\d+[.)]\s+(.*)$/.exec(line)?.[1];
    if (step !== undefined) steps.push(step);
    else if (steps.length > 0 && line.startsWith('#')) break;
  }
  const stepRange = STEPS[slug];
  if (steps.length > 0 || !stepRange) return steps;
  const paragraphs = answer.split('\n\n');
  return paragraphs.slice(paragraphs.length + stepRange[0], paragraphs.length + stepRange[1] + 1);
}
