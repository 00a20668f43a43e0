/** Announces text to screen readers in whole sentences; single tokens would be noise. */
export type Announcer = {
  readonly say: (text: string) => void;
  /** Follows a growing text and announces each sentence when it is complete. */
  readonly follow: (locale: string) => { readonly grow: (text: string) => void; readonly end: () => void };
};

const LINES_MAX = 20;

export function openAnnouncer(region: HTMLElement): Announcer {
  function say(text: string): void {
    if (text.trim() === '') return;
    const line = document.createElement('p');
    line.textContent = text;
    region.append(line);
    while (region.childElementCount > LINES_MAX) region.firstElementChild?.remove();
  }
  return {
    say,
    follow: (locale) => {
      const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
      let whole = '';
      let announcedChars = 0;
      return {
        grow: (text) => {
          // The text was replaced; start over.
          if (!text.startsWith(whole.slice(0, announcedChars))) announcedChars = 0;
          whole = text;
          const open = Array.from(segmenter.segment(whole.slice(announcedChars))).at(-1)?.segment ?? '';
          const finished = whole.slice(announcedChars, whole.length - open.length);
          announcedChars += finished.length;
          say(finished);
        },
        end: () => {
          say(whole.slice(announcedChars));
          announcedChars = whole.length;
        },
      };
    },
  };
}
