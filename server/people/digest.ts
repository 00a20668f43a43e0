import { createHmac, timingSafeEqual } from 'node:crypto';
import type { digest } from '../../contract/digest.ts';
import type { Clock } from '../base/clock.ts';
import { decodeId, encodeId } from '../base/ids.ts';
import type { Handlers } from '../http/handler.ts';
import { type BackgroundJob, createBackgroundJob } from '../knowledge/background-job.ts';
import type { DigestCounts, DigestReader } from '../storage/digests.ts';
import type { Store } from '../storage/store.ts';
import type { Workspace } from '../storage/workspaces.ts';
import type { ComposeMail } from './compose-mail.ts';

/** The weekly mail to members: how many questions wait, and never their words. */

type Deps = {
  store: Pick<Store, 'in' | 'workspaces'>;
  clock: Clock;
  composeMail: ComposeMail;
  baseUrl: () => string;
  unsubscribeLinks: UnsubscribeLinks;
};

const HOUR_MILLIS = 3_600_000;
const DAY_MILLIS = 24 * HOUR_MILLIS;
const WEEK_MILLIS = 7 * DAY_MILLIS;
/** The first Monday of Unix time, six o'clock UTC. */
const FIRST_MILLIS = 4 * DAY_MILLIS + 6 * HOUR_MILLIS;

/** After an outage, the mail is sent until Wednesday; a later one would be about half of the next week. */
const LATE_MILLIS = 2 * DAY_MILLIS;

/** Returns when the last mail was due: Monday, six o'clock UTC. */
const getDueTime = (nowMillis: number) =>
  FIRST_MILLIS + Math.floor((nowMillis - FIRST_MILLIS) / WEEK_MILLIS) * WEEK_MILLIS;

/** Queues the mails that are due. A crash in between repeats none: each is noted in the transaction that queues it. */
export function createDigestJob(deps: Deps): BackgroundJob {
  const { store, clock } = deps;
  let doneFor = Number.NEGATIVE_INFINITY;
  return createBackgroundJob(clock, HOUR_MILLIS, async (signal) => {
    const dueAt = getDueTime(clock.now());
    if (dueAt <= doneFor || clock.now() - dueAt > LATE_MILLIS) return;
    for (const workspace of await store.workspaces.list()) {
      if (signal.aborted) return;
      const { digests } = store.in(workspace.id);
      const readers = await digests.listDue(dueAt);
      if (readers.length === 0) continue;
      const counts = await digests.count(dueAt - WEEK_MILLIS);
      for (const reader of readers)
        await digests.finish(reader.memberId, dueAt, await composeDigest(workspace, reader, counts, deps));
    }
    doneFor = dueAt;
  });
}

async function composeDigest(
  { id, name, settings }: Workspace,
  { memberId, email, locale }: DigestReader,
  counts: DigestCounts,
  { composeMail, baseUrl, unsubscribeLinks }: Deps,
) {
  const { unanswered, handovers, openHandovers, stale } = counts;
  if (unanswered + handovers + openHandovers + stale === 0) return undefined;
  const unsubscribe = `${baseUrl()}${unsubscribeLinks.makePath(memberId)}`;
  const shown = Object.entries(counts).filter(([, count]) => count > 0);
  return composeMail({
    ...{ workspaceId: id, to: email, template: 'weekly_digest', unsubscribe },
    locales: [locale ?? settings.sourceLocale],
    values: {
      workspace: name,
      ...Object.fromEntries(shown.map(([what, count]) => [what, String(count)])),
      ...{ link: `${baseUrl()}/dashboard/w/${id}`, unsubscribe },
    },
    lifetimeMillis: DAY_MILLIS,
  });
}

export function digestHandlers({
  store,
  clock,
  sendsMail,
}: Deps & { sendsMail: boolean }): Handlers<typeof digest> {
  return {
    async readDigest({ caller }) {
      const isOn = await store.in(caller.workspace.id).digests.isOn(caller.memberId);
      return { status: 200, body: { isOn, sendsMail } };
    },
    async changeDigest({ caller, body: { isOn } }) {
      await store.in(caller.workspace.id).digests.set(caller.memberId, isOn ? null : clock.now());
      return { status: 200, body: { isOn, sendsMail } };
    },
  };
}

export type UnsubscribeLinks = ReturnType<typeof createUnsubscribeLinks>;

const MAC_BYTES = 16;

/** Links that turn off the mail of one member without a sign-in, signed and without an end. */
export function createUnsubscribeLinks(secret: string) {
  const sign = (memberId: string) => {
    const mac = createHmac('sha256', secret).update(memberId).digest().subarray(0, MAC_BYTES);
    return encodeId('mem', mac).slice('mem_'.length);
  };
  return {
    makePath: (memberId: string) => `/mail/unsubscribe/${memberId}.${sign(memberId)}`,
    /** Returns the member; undefined for a link that is not genuine. */
    parse(token: string): string | undefined {
      const [memberId = '', mac = ''] = token.split('.');
      if (!decodeId('mem', memberId)) return undefined;
      const [received, expected] = [Buffer.from(mac), Buffer.from(sign(memberId))];
      return received.length === expected.length && timingSafeEqual(received, expected)
        ? memberId
        : undefined;
    },
  };
}

/** Turns off the mail of the member whom a link names. Returns false for a link that does not work. */
export function createUnsubscriber({
  store,
  clock,
  unsubscribeLinks,
}: {
  store: Pick<Store, 'in' | 'findMemberWorkspace'>;
  clock: Clock;
  unsubscribeLinks: UnsubscribeLinks;
}) {
  return async (token: string): Promise<boolean> => {
    const memberId = unsubscribeLinks.parse(token);
    const workspaceId = memberId && (await store.findMemberWorkspace(memberId));
    if (!memberId || !workspaceId) return false;
    return store.in(workspaceId).digests.set(memberId, clock.now());
  };
}
