/** A line of text: its size in points, and its words. */
export type PdfLine = readonly [size: number, text: string];

type Bookmark = { title: string; page: number; inner?: readonly Bookmark[] };

type PdfOptions = {
  outline?: readonly Bookmark[];
  /** Entries of the information dictionary, of the catalog, and of the trailer, such as an encryption. */
  info?: string;
  catalog?: string;
  trailer?: string;
  /** Replaces the page tree. */
  pageTree?: string;
  /** Compressed content of all pages. */
  content?: Uint8Array;
  /** Letters of the codes 128, 129 and so on. */
  letters?: string;
  /** Adds this many forms to the first page; each draws the next one ten times. */
  forms?: number;
};

const TOP = 760;

/** Writes a PDF whose pages show lines from top to bottom. */
export function buildPdf(pages: readonly (readonly PdfLine[])[], options: PdfOptions = {}): Buffer {
  const { outline = [], info = '', catalog = '', trailer = '', pageTree, letters = '', forms = 0 } = options;
  const pageIds = pages.map((_, at) => 5 + at * 2);
  const kids = pageIds.map((id) => `${id} 0 R`).join(' ');
  const objects = [
    '',
    pageTree ?? `<< /Type /Pages /Count ${pages.length} /Kids [${kids}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    `<< /Producer (fixture) ${info} >>`,
  ];
  const firstForm = 5 + pages.length * 2;
  const drawing = forms > 0 ? `/XObject << /X ${firstForm} 0 R >>` : '';
  const call = forms > 0 ? '/X Do' : '';
  for (const lines of pages) {
    const packed = options.content && Buffer.from(options.content).toString('latin1');
    const content = packed ?? `${draw(lines)}\n${call}`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> ${drawing} >> /Contents ${objects.length + 2} 0 R >>`,
      toStream(content, packed === undefined ? '' : '/Filter /FlateDecode'),
    );
  }
  for (let number = 1; number <= forms; number += 1) {
    const drawNext = number < forms ? `/XObject << /X ${firstForm + number} 0 R >>` : '';
    const font = '/Font << /F1 3 0 R >>';
    const entries = `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${font} ${drawNext} >>`;
    objects.push(toStream(`${draw([[10, 'again']])}\n${drawNext ? '/X Do '.repeat(10) : ''}`, entries));
  }
  if (letters !== '') {
    const id = objects.push(toStream(toUnicodeMap(letters), ''));
    objects[2] = objects[2]!.replace(' >>', ` /ToUnicode ${id} 0 R >>`);
  }
  const outlineId = outline.length > 0 ? addOutline(objects, outline, pageIds) : undefined;
  objects[0] = `<< /Type /Catalog /Pages 2 0 R ${outlineId ? `/Outlines ${outlineId} 0 R` : ''} ${catalog} >>`;
  return write(objects, trailer);
}

const toStream = (content: string, entries: string) =>
  `<< /Length ${content.length} ${entries} >>\nstream\n${content}\nendstream`;

const toHex = (number: number, digits: number) => `<${number.toString(16).padStart(digits, '0')}>`;

/** Maps codes to letters (PDF 32000-1, 9.10.3). */
const toUnicodeMap = (letters: string) =>
  `/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <00> <ff> endcodespacerange ` +
  `${letters.length} beginbfchar ${[...letters].map((letter, at) => `${toHex(128 + at, 2)} ${toHex(letter.charCodeAt(0), 4)}`).join(' ')} endbfchar endcmap end end`;

function draw(lines: readonly PdfLine[]): string {
  let y = TOP;
  return lines
    .map(([size, text]) => {
      y -= size * 1.4;
      const escaped = text.replace(/[\\()]/g, '\\$&');
      return `BT /F1 ${size} Tf 72 ${y.toFixed(1)} Td (${escaped}) Tj ET`;
    })
    .join('\n');
}

/** Returns the number of the outline's object. */
function addOutline(objects: string[], bookmarks: readonly Bookmark[], pageIds: readonly number[]): number {
  const rootId = objects.push('');
  const addAll = (items: readonly Bookmark[], parentId: number): number[] => {
    const ids = items.map(() => objects.push(''));
    items.forEach(({ title, page, inner = [] }, at) => {
      const children = addAll(inner, ids[at]!);
      const links = [
        at > 0 ? `/Prev ${ids[at - 1]} 0 R` : '',
        at < items.length - 1 ? `/Next ${ids[at + 1]} 0 R` : '',
        children.length > 0
          ? `/First ${children[0]} 0 R /Last ${children.at(-1)} 0 R /Count ${children.length}`
          : '',
      ].join(' ');
      objects[ids[at]! - 1] =
        `<< /Title (${title}) /Parent ${parentId} 0 R ${links} /Dest [${pageIds[page - 1]} 0 R /Fit] >>`;
    });
    return ids;
  };
  const ids = addAll(bookmarks, rootId);
  objects[rootId - 1] =
    `<< /Type /Outlines /First ${ids[0]} 0 R /Last ${ids.at(-1)} 0 R /Count ${ids.length} >>`;
  return rootId;
}

function write(objects: readonly string[], trailer: string): Buffer {
  let text = '%PDF-1.7\n';
  const offsets = objects.map((body, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${body}\nendobj\n`;
    return offset;
  });
  const start = text.length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  text += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}`;
  text += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
