/** An upload is in memory until it is answered. How much of them all may be there at the same time, in this process. */
export type UploadBudget = {
  /** What one request takes of it; `whenOver` is told how to give all of that back. */
  open(onClose: (release: () => void) => void): UploadShare;
};

export type UploadShare = {
  /** Whoever sends nothing for longer keeps its room from others, and is cut off. */
  readonly silenceMillis: number;
  /** Whether so many bytes more would find room now; so whoever announces more is told before it is sent. */
  fits(bytes: number): boolean;
  /** Takes room for bytes that have come; false where there is none, and then the upload keeps none. */
  take(bytes: number): boolean;
};

/** Counts what has come and not what was announced, so that nobody keeps others out by sending slowly. */
export function createUploadBudget(
  { bytesMax, silenceMillis }: { readonly bytesMax: number; readonly silenceMillis: number },
  onChange: (heldBytes: number) => void,
): UploadBudget {
  let held = 0;
  const change = (bytes: number) => {
    held += bytes;
    onChange(held);
  };
  return {
    open(onClose) {
      let own = 0;
      let isOver = false;
      const release = () => {
        isOver = true;
        change(-own);
        own = 0;
      };
      onClose(release);
      const fits = (bytes: number) => held + bytes <= bytesMax;
      return {
        silenceMillis,
        fits,
        take(bytes) {
          if (isOver) return false;
          if (!fits(bytes)) {
            // At once and not with its answer, or all who send at this moment would be refused because of each other.
            release();
            return false;
          }
          own += bytes;
          change(bytes);
          return true;
        },
      };
    },
  };
}
