/**
 * Limits of the resources that requests hold in this process. They are checked before a request consumes from a rate limit or sends its
 * body, so a request that cannot be served has no cost.
 */
export const RESOURCES = ['connections', 'body_bytes', 'streams'] as const;
export type Resource = (typeof RESOURCES)[number];

/** The owners that a reservation counts against. A kind of owner that is left out is not limited. */
export type Owners = {
  network?: string | undefined;
  visitor?: string | undefined;
  workspace?: string | undefined;
};
type OwnerKind = keyof Owners;
const OWNER_KINDS: readonly OwnerKind[] = ['network', 'visitor', 'workspace'];

export type ResourceLimit = {
  /** The maximum of all reservations together. */
  total: number;
  /**
   * An owner may hold at most this many times the amount that is free (dynamic thresholds: Choudhury and Hahne, 1998). With 1, a single
   * owner gets half of the total, two owners get a third each, and a part stays free for the next owner.
   */
  ownerFactors: Readonly<Partial<Record<OwnerKind, number>>>;
  /** The minimum that an owner may hold, as far as there is room. */
  ownerMinimums?: Readonly<Partial<Record<OwnerKind, number>>>;
};

/** The limit that a reservation would exceed: the total, or that of one of its owners. */
export type Exceeded = 'total' | OwnerKind;

/** The resources that one request holds. It grows until it is released. */
export type Reservation = {
  amount: number;
  /** Reserves more. Returns undefined on success; an amount over a limit releases the reservation, and the limit is returned. */
  add(amount: number): Exceeded | undefined;
  /** Sets the reservation to the amount that was actually used, regardless of limits. */
  settle(amount: number): void;
  /** May be called more than once. */
  release(): void;
};

export type ResourceLimits<R extends string = Resource> = {
  /** Opens a reservation that holds nothing yet. */
  open(resource: R, owners: Owners): Reservation;
  /** Returns the limit that this amount would exceed now; undefined when the amount is free. */
  findExceeded(resource: R, owners: Owners, amount: number): Exceeded | undefined;
  /** Returns how much these owners may still reserve. */
  room(resource: R, owners: Owners): number;
  held(resource: R): number;
};

export function createResourceLimits<R extends string = Resource>(
  limits: Readonly<Record<R, ResourceLimit>>,
  onExceeded: (resource: R, by: Exceeded) => void = () => {},
): ResourceLimits<R> {
  const accounts = new Map(
    Object.entries<ResourceLimit>(limits).map(([name, limit]) => [name, new Account(limit)]),
  );
  const getAccount = (resource: R) => accounts.get(resource)!;
  const findExceeded = (resource: R, owners: Owners, amount: number) => {
    const exceeded = getAccount(resource).findExceeded(owners, amount);
    if (exceeded) onExceeded(resource, exceeded);
    return exceeded;
  };
  return {
    findExceeded,
    room: (resource, owners) => getAccount(resource).room(owners),
    held: (resource) => getAccount(resource).total,
    open(resource, owners) {
      let held = 0;
      let isReleased = false;
      const release = () => {
        isReleased = true;
        if (held > 0) getAccount(resource).change(owners, -held);
        held = 0;
      };
      return {
        get amount() {
          return held;
        },
        add(amount) {
          if (isReleased) return 'total';
          const exceeded = findExceeded(resource, owners, amount);
          // Release at once: otherwise requests that grow together would all be refused because of each other.
          if (exceeded) release();
          else {
            held += amount;
            getAccount(resource).change(owners, amount);
          }
          return exceeded;
        },
        settle(amount) {
          if (isReleased) return;
          getAccount(resource).change(owners, amount - held);
          held = amount;
        },
        release,
      };
    },
  };
}

/** The amounts held of one resource. Only active owners have an entry, so the total bounds the memory. */
class Account {
  total = 0;
  readonly #limit: ResourceLimit;
  readonly #byOwner = { network: new Map(), visitor: new Map(), workspace: new Map() } as Readonly<
    Record<OwnerKind, Map<string, number>>
  >;

  constructor(limit: ResourceLimit) {
    this.#limit = limit;
  }

  findExceeded(owners: Owners, amount: number): Exceeded | undefined {
    if (amount > this.#free) return 'total';
    return OWNER_KINDS.find((kind) => amount > this.#getRoom(kind, owners[kind]));
  }

  room(owners: Owners): number {
    return Math.max(0, Math.min(this.#free, ...OWNER_KINDS.map((kind) => this.#getRoom(kind, owners[kind]))));
  }

  get #free(): number {
    return this.#limit.total - this.total;
  }

  #getRoom(kind: OwnerKind, owner: string | undefined): number {
    const { ownerFactors, ownerMinimums } = this.#limit;
    const factor = ownerFactors[kind];
    if (owner === undefined || factor === undefined) return Number.POSITIVE_INFINITY;
    return Math.max(factor * this.#free, ownerMinimums?.[kind] ?? 0) - (this.#byOwner[kind].get(owner) ?? 0);
  }

  change(owners: Owners, amount: number): void {
    this.total += amount;
    for (const kind of OWNER_KINDS) {
      const owner = owners[kind];
      if (owner === undefined) continue;
      const held = (this.#byOwner[kind].get(owner) ?? 0) + amount;
      if (held > 0) this.#byOwner[kind].set(owner, held);
      else this.#byOwner[kind].delete(owner);
    }
  }
}
