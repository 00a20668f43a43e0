import { buildZip } from './zip-file.ts';

const NAMESPACES =
  'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"';
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const RELATIONSHIPS = 'xmlns="http://schemas.openxmlformats.org/package/2006/relationships"';
const TYPE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

export const heading = (level: number, text: string) =>
  `<w:p><w:pPr><w:pStyle w:val="Heading${level}"/></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
export const paragraph = (text: string) => `<w:p><w:r><w:t>${text}</w:t></w:r></w:p>`;
export const item = (text: string) =>
  `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>${text}</w:t></w:r></w:p>`;
export const link = (text: string) =>
  `<w:p><w:hyperlink r:id="rId9"><w:r><w:t>${text}</w:t></w:r></w:hyperlink></w:p>`;
export const table = (rows: readonly (readonly string[])[]) =>
  `<w:tbl>${rows
    .map((cells) => `<w:tr>${cells.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`)
    .join('')}</w:tbl>`;

type Parts = {
  /** Inserted before the root element of the document. */
  prolog?: string;
  more?: Readonly<Record<string, string>>;
};

/** Writes a Word document with the required parts, and a macro that must never run. */
export function buildDocx(body: string, { prolog = '', more = {} }: Parts = {}): Buffer {
  const parts = {
    '[Content_Types].xml': `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    '_rels/.rels': `${XML}<Relationships ${RELATIONSHIPS}><Relationship Id="rId1" Type="${TYPE}/officeDocument" Target="word/document.xml"/></Relationships>`,
    'word/_rels/document.xml.rels': `${XML}<Relationships ${RELATIONSHIPS}><Relationship Id="rId9" Type="${TYPE}/hyperlink" Target="https://shop.example.com/forms" TargetMode="External"/></Relationships>`,
    'word/numbering.xml': `${XML}<w:numbering ${NAMESPACES}><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`,
    'word/styles.xml': `${XML}<w:styles ${NAMESPACES}>${[1, 2, 3]
      .map(
        (level) =>
          `<w:style w:type="paragraph" w:styleId="Heading${level}"><w:name w:val="heading ${level}"/></w:style>`,
      )
      .join('')}</w:styles>`,
    'word/document.xml': `${XML}${prolog}<w:document ${NAMESPACES}><w:body>${body}</w:body></w:document>`,
    'word/vbaProject.bin': 'Sub AutoOpen(): Shell "format c:" : End Sub',
    ...more,
  };
  return buildZip(Object.entries(parts).map(([name, content]) => ({ name, content })));
}
