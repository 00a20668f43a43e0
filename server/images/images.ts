import type { ImageRecord, images } from '../../contract/images.ts';
import { LIMITS } from '../../contract/limits.ts';
import { type Clock, toIsoString } from '../clock.ts';
import { paginate } from '../cursor.ts';
import { throwApiError } from '../http/errors.ts';
import type { Handlers, MemberCaller } from '../http/handler.ts';
import { newId } from '../ids.ts';
import type { StorageMeter } from '../quotas/storage-meter.ts';
import type { AuditEntry } from '../storage/audit.ts';
import type { ImageHead } from '../storage/images.ts';
import type { Store } from '../storage/store.ts';
import { normalizeLine } from '../text.ts';
import { readImage } from './image-file.ts';

type ImagesDeps = {
  readonly store: Pick<Store, 'in'>;
  readonly clock: Clock;
  readonly storageMeter: Pick<StorageMeter, 'requireRoom'>;
};

const WORKSPACE_LIMITS = { countMax: LIMITS.imagesMax, bytesMax: LIMITS.imagesBytesMax };

export function imageHandlers({ store, clock, storageMeter }: ImagesDeps): Handlers<typeof images> {
  const getImages = ({ workspace }: MemberCaller) => store.in(workspace.id).images;
  const toAudit = ({ memberId }: MemberCaller, action: string, subject: string): AuditEntry => {
    return { id: newId('aud'), atMillis: clock.now(), actor: memberId, action, subject, details: {} };
  };
  return {
    async listImages({ caller, query }) {
      const { data, ...page } = paginate(await getImages(caller).list(), query, 'newest_first');
      return { status: 200, body: { data: data.map(toRecord), ...page } };
    },

    async uploadImage({ caller, query, body }) {
      storageMeter.requireRoom(caller.workspace.id);
      const file = readImage(body.image);
      if (!file) return throwApiError('image/unsupported', `${body.image.length} bytes`);
      const id = newId('img');
      const name = normalizeLine(query.name ?? '', LIMITS.imageNameCharsMax) ?? '';
      const image = { ...file, id, name, createdAt: clock.now(), createdBy: caller.memberId };
      const audit = toAudit(caller, 'image.uploaded', id);
      const stored = await getImages(caller).put(image, WORKSPACE_LIMITS, audit);
      if (stored === 'full') return throwApiError('image/too_many', caller.workspace.id);
      return { status: 201, body: toRecord(stored) };
    },

    async deleteImage({ caller, params: { imageId } }) {
      const outcome = await getImages(caller).remove(imageId, toAudit(caller, 'image.deleted', imageId));
      if (outcome === 'gone') return throwApiError('image/not_found');
      return { status: 200, body: { ok: true } };
    },
  };
}

function toRecord({ id, contentBytes, createdAt, ...image }: ImageHead): ImageRecord {
  return { ...image, id, url: `/images/${id}`, bytes: contentBytes, createdAt: toIsoString(createdAt) };
}
