import { describe, expect, it } from 'vitest';
import { parseTextBlocks, type TextRange } from '../../client/embed/text-blocks.ts';

const show = (text: string, quotes?: readonly TextRange[]) =>
  parseTextBlocks(text, quotes).map(({ kind, lines }) => [
    kind,
    ...lines.map(
      ({ from, to, indent, isItem }) =>
        `${'  '.repeat(indent / 2)}${isItem ? '- ' : ''}${text.slice(from, to)}`,
    ),
  ]);
const quoted = (text: string) => show(text, [{ from: 0, to: text.length }]);

describe('the Markdown of an answer', () => {
  it('has paragraphs, headings and code without their marks', () => {
    expect(show('# One\nTwo\nthree\n\nFour\n----\n> Five\n\n```sh\nsix\n\nseven\n```\n---\nEight')).toEqual([
      ['h', 'One'],
      ['p', 'Two', 'three'],
      ['h', 'Four'],
      ['p', 'Five'],
      ['pre', 'six', '', 'seven'],
      ['p', 'Eight'],
    ]);
  });

  it('keeps nested items, further lines of an item, and items after a blank line in one list', () => {
    expect(show('1. One\n   more\n   - a\n   - b\n\n2. Two\n\n- other')).toEqual([
      ['list', '- One', 'more', '  - a', '  - b', '- Two'],
      ['list', '- other'],
    ]);
  });
});

describe('the lines of a quote in plain text', () => {
  it('are a list after the line that announces them', () => {
    expect(quoted('You can pair a mouse.\nTo pair it:\nOpen Settings.\n\nClick Pair.\nWait.')).toEqual([
      ['p', 'You can pair a mouse.'],
      ['p', 'To pair it:'],
      ['list', '- Open Settings.', '- Click Pair.', '- Wait.'],
    ]);
  });

  it('are a list where at least three short ones follow each other', () => {
    expect(quoted('設定を開きます。\nマウスをクリックします。\n待ちます。')).toEqual([
      ['list', '- 設定を開きます。', '- マウスをクリックします。', '- 待ちます。'],
    ]);
    expect(quoted('One.\nTwo.')).toEqual([
      ['p', 'One.'],
      ['p', 'Two.'],
    ]);
  });

  it('keep an explanation and a heading apart from the steps', () => {
    const explanation = `This is what ${'pairing '.repeat(15)}means.`;
    expect(
      quoted(`${explanation}\nOpen it.\nClick Pair.\nWait for it.\nUnpair\nOpen it.\nClick Remove.\nDone.`),
    ).toEqual([
      ['p', explanation],
      ['list', '- Open it.', '- Click Pair.', '- Wait for it.'],
      ['h', 'Unpair'],
      ['list', '- Open it.', '- Click Remove.', '- Done.'],
    ]);
  });

  it('stay a paragraph where somebody wrapped them', () => {
    const lines = [
      'The mouse is paired with the computer as soon as',
      'both of them are in range of each other and the',
      'battery is full.',
    ];
    expect(quoted(lines.join('\n'))).toEqual([['p', ...lines]]);
  });

  it('stay as they are outside of quotes', () => {
    expect(show('To pair it:\nOpen Settings.\nClick Pair.')).toEqual([
      ['p', 'To pair it:', 'Open Settings.', 'Click Pair.'],
    ]);
  });
});
