import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { ImageRecord, images, ListedImage } from '../../../contract/images.ts';
import { IMAGE_LIMITS } from '../../../contract/limits/images.ts';
import { type Clock, toIsoString } from '../../base/clock.ts';
import { newId } from '../../base/ids.ts';
import { normalizeLine } from '../../base/text.ts';
import { paginate } from '../../http/cursor.ts';
import { throwApiError } from '../../http/errors.ts';
import type { Handlers, MemberCaller } from '../../http/handler.ts';
import type { AuditEntry } from '../../storage/audit.ts';
import type { ImageHead, Images } from '../../storage/images.ts';
import type { Store } from '../../storage/store.ts';
import type { StorageMeter } from '../../workspaces/storage-meter.ts';
import { readImage } from './image-file.ts';

type ImagesDeps = {
  store: Pick<Store, 'in'>;
  clock: Clock;
  storageMeter: Pick<StorageMeter, 'requireRoom'>;
};

const WORKSPACE_LIMITS = { countMax: IMAGE_LIMITS.imagesMax, bytesMax: IMAGE_LIMITS.imagesBytesMax };

export function imageHandlers({ store, clock, storageMeter }: ImagesDeps): Handlers<typeof images> {
  const getImages = ({ workspace }: MemberCaller) => store.in(workspace.id).images;
  const toAudit = ({ memberId }: MemberCaller, action: string, subject: string): AuditEntry => {
    return { id: newId('aud'), atMillis: clock.now(), actor: memberId, action, subject, details: {} };
  };
  return {
    async listImages({ caller, query }) {
      const all = await getImages(caller).list();
      const uses = await findUses(getImages(caller), all);
      const isWanted = ({ id }: ImageHead) =>
        query.used === undefined || uses.has(id) === (query.used === 'true');
      const { data, ...page } = paginate(all.filter(isWanted), query, 'newest_first');
      const body = data.map((head) => {
        const articles = [...(uses.get(head.id)?.values() ?? [])];
        const shown = articles.slice(0, IMAGE_LIMITS.imageUsesMax);
        return { ...toRecord(head), usedBy: articles.length, uses: shown.map(toUse) };
      });
      return { status: 200, body: { data: body, ...page } };
    },

    async uploadImage({ caller, query, body }) {
      storageMeter.requireRoom(caller.workspace.id);
      const file = readImage(body.image);
      if (!file) return throwApiError('image/unsupported', `${body.image.length} bytes`);
      const id = newId('img');
      const name = normalizeLine(query.name ?? '', IMAGE_LIMITS.imageNameCharsMax) ?? '';
      const image = { ...file, id, name, createdAt: clock.now(), createdBy: caller.memberId };
      const audit = toAudit(caller, 'image.uploaded', id);
      const stored = await getImages(caller).put(image, WORKSPACE_LIMITS, audit);
      if (stored === 'full') return throwApiError('image/too_many', caller.workspace.id);
      return { status: 201, body: toRecord(stored) };
    },

    async deleteImage({ caller, params: { imageId } }) {
      const outcome = await getImages(caller).remove(imageId, toAudit(caller, 'image.deleted', imageId));
      if (outcome === 'gone') return throwApiError('image/not_found');
      if (outcome !== 'removed') return throwApiError('image/in_use', imageId, outcome);
      return { status: 200, body: { ok: true } };
    },
  };
}

function toRecord({ id, contentBytes, createdAt, ...image }: ImageHead): ImageRecord {
  return { ...image, id, url: `/images/${id}`, bytes: contentBytes, createdAt: toIsoString(createdAt) };
}

type Use = {
  articleId: string;
  title: string;
  locales: Set<string>;
  live: boolean;
};
/** Keyed by the image's id, then by the article's id. */
type Uses = ReadonlyMap<string, ReadonlyMap<string, Use>>;

/** Reads the workspace's texts once for all images, and yields to other requests in between. */
async function findUses(images: Images, heads: readonly ImageHead[]): Promise<Uses> {
  const uses = new Map(heads.map(({ id }) => [id, new Map<string, Use>()]));
  let after: string | undefined;
  let hasMore = heads.length > 0;
  while (hasMore) {
    const { texts, continueAfter } = await images.listTexts(after);
    for (const { articleId, title, locale, isLive, imageIds } of texts) {
      for (const imageId of imageIds) {
        const imageUses = uses.get(imageId);
        const use = imageUses?.get(articleId) ?? { articleId, title, locales: new Set(), live: false };
        use.locales.add(locale);
        use.live ||= isLive;
        imageUses?.set(articleId, use);
      }
    }
    after = continueAfter;
    hasMore = after !== undefined;
    if (hasMore) await yieldToEventLoop();
  }
  return new Map([...uses].filter(([, imageUses]) => imageUses.size > 0));
}

const toUse = ({ locales, ...use }: Use): ListedImage['uses'][number] => ({ ...use, locales: [...locales] });
