/** Reads the `data` of server-sent events out of text that comes in any pieces. Comments and other fields say nothing here. */
export function createEventData(charsMax: number): {
  /** @throws RangeError when an event is larger than anybody would send. */
  feed(text: string): string[];
} {
  let rest = '';
  let data: string[] = [];
  let size = 0;
  return {
    feed(text) {
      const events: string[] = [];
      rest += text;
      // A carriage return at the end may be half of a line end.
      const whole = rest.endsWith('\r') ? rest.length - 1 : rest.length;
      const lines = rest.slice(0, whole).split(/\r\n|\n|\r/);
      rest = lines.pop()! + rest.slice(whole);
      for (const line of lines) {
        if (line.startsWith('data:')) {
          const value = line.slice(line[5] === ' ' ? 6 : 5);
          data.push(value);
          size += value.length;
        } else if (line === '' && data.length > 0) {
          events.push(data.join('\n'));
          data = [];
          size = 0;
        }
      }
      if (rest.length + size > charsMax) throw new RangeError('an event is too large');
      return events;
    },
  };
}
