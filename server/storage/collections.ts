import type { AuditEntry } from './audit.ts';

/** A group of articles; an article is in one at most. */
export type Collection = { id: string; name: string; articles: number };

type NewCollection = Pick<Collection, 'id' | 'name'> & {
  createdAt: number;
  createdBy: string;
};

export type Collections = {
  /** Lists all collections by name, with the number of their articles. */
  list(): Promise<readonly Collection[]>;
  has(collectionId: string): Promise<boolean>;
  create(
    collection: NewCollection,
    collectionsMax: number,
    audit: AuditEntry,
  ): Promise<'created' | 'name_taken' | 'too_many'>;
  rename(collectionId: string, name: string, audit: AuditEntry): Promise<'renamed' | 'name_taken' | 'gone'>;
  /** Deletes the collection; its articles stay, without a collection. */
  remove(collectionId: string, audit: AuditEntry): Promise<'removed' | 'gone'>;
  /** Lists all tags with the number of articles that have them, most frequent first. */
  listTags(): Promise<readonly { tag: string; articles: number }[]>;
};
