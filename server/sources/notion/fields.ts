import type { PageObjectResponse } from '@notionhq/client';
import type { Fields } from '../../knowledge/import/front-matter.ts';

/** Converts the properties of a page of Notion to fields as those of front matter. */

type Property = PageObjectResponse['properties'][string];

export const toPlainText = (items: readonly { plain_text: string }[]): string =>
  items.map(({ plain_text: text }) => text).join('');

/** What a run keeps of each page that is listed. */
export type Page = {
  title: string;
  /** Named as in front matter. */
  fields: Fields;
  dataSourceId: string | undefined;
  editedAt: string;
  /** Where everybody can open it. */
  publicUrl: string | undefined;
  isGone: boolean;
};

export function toPage({ parent, ...page }: PageObjectResponse): Page {
  return {
    title: getTitle(page),
    fields: toFields(page),
    dataSourceId: parent.type === 'data_source_id' ? parent.data_source_id : undefined,
    editedAt: page.last_edited_time,
    publicUrl: page.public_url ?? undefined,
    isGone: page.in_trash || page.is_archived,
  };
}

function getTitle({ properties }: Pick<PageObjectResponse, 'properties'>): string {
  const title = Object.values(properties).find((property) => property.type === 'title');
  return title?.type === 'title' ? toPlainText(title.title).trim() : '';
}

/** The field that makes others of a file strict; a property of this name does not. */
const STRICT = 'guidepost';
/** Longer values are no fields of front matter. */
const VALUE_CHARS_MAX = 1000;

/** Names are in lower case. Properties that are no text are left out. */
function toFields({ properties }: Pick<PageObjectResponse, 'properties'>): Fields {
  const fields = Object.entries(properties).flatMap(([name, property]) => {
    const value = toValue(property);
    const isShort = value !== undefined && value.length > 0 && String(value).length <= VALUE_CHARS_MAX;
    const key = name.trim().toLowerCase();
    return isShort && key !== STRICT ? [[key, value]] : [];
  });
  return Object.fromEntries(fields);
}

function toValue(property: Property): string | string[] | undefined {
  switch (property.type) {
    case 'rich_text':
      return toPlainText(property.rich_text);
    case 'select':
      return property.select?.name;
    case 'status':
      return property.status?.name;
    case 'multi_select':
      return property.multi_select.map(({ name }) => name);
    case 'checkbox':
      return String(property.checkbox);
    case 'date':
      return property.date?.start;
    case 'url':
      return property.url ?? undefined;
    case 'formula':
      return toFormulaValue(property.formula);
    default:
      return undefined;
  }
}

function toFormulaValue(formula: Extract<Property, { type: 'formula' }>['formula']): string | undefined {
  switch (formula.type) {
    case 'string':
      return formula.string ?? undefined;
    case 'boolean':
      return formula.boolean === null ? undefined : String(formula.boolean);
    case 'date':
      return formula.date?.start;
    default:
      return undefined;
  }
}
