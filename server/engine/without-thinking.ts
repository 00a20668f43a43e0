/** Some servers put what a model thinks before its answer, between <think> and </think>. That is not for visitors. */
export function withoutThinking(): (text: string) => string {
  let state: 'start' | 'thinking' | 'answer' = 'start';
  let held = '';
  return (text) => {
    if (state === 'answer') return text;
    held += text;
    if (state === 'start') {
      const start = held.trimStart();
      if ('<think>'.startsWith(start.slice(0, 7)) && start.length < 7) return '';
      state = start.startsWith('<think>') ? 'thinking' : 'answer';
      if (state === 'answer') return held;
    }
    const end = held.indexOf('</think>');
    if (end < 0) {
      held = held.slice(-8);
      return '';
    }
    state = 'answer';
    return held.slice(end + 8).trimStart();
  };
}
