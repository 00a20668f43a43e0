/** What assistive technology is told, whole sentences at a time: single tokens would be noise. */
export type Announcer = {
  readonly region: HTMLElement;
  readonly say: (text: string) => void;
  /** Follows a growing text and says each sentence once it is finished. */
  readonly follow: (locale: string) => { readonly grow: (text: string) => void; readonly end: () => void };
};

const KEPT = 20;

export function openAnnouncer(region: HTMLElement): Announcer {
  function say(text: string): void {
    if (text.trim() === '') return;
    const line = document.createElement('p');
    line.textContent = text;
    region.append(line);
    while (region.childElementCount > KEPT) region.firstElementChild?.remove();
  }
  return {
    region,
    say,
    follow: (locale) => {
      const segmenter = new Intl.Segmenter(locale, { granularity: 'sentence' });
      let whole = '';
      let said = 0;
      return {
        grow: (text) => {
          // A text that was replaced is another text.
          if (!text.startsWith(whole.slice(0, said))) said = 0;
          whole = text;
          const open = Array.from(segmenter.segment(whole.slice(said))).at(-1)?.segment ?? '';
          const finished = whole.slice(said, whole.length - open.length);
          said += finished.length;
          say(finished);
        },
        end: () => {
          say(whole.slice(said));
          said = whole.length;
        },
      };
    },
  };
}
