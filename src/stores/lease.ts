/** Declares the lease port: one owner at a time, earlier owners are fenced off. */

export interface Lease {
  /** Its purpose: lower-case letters and `_`. */
  readonly name: string
  readonly owner: string
  /** Greater than that of every earlier lease of this name. */
  readonly fence: number
}

export interface LeaseRequest extends Pick<Lease, 'name' | 'owner'> {
  /** Duration in ms, by the clock of the store. */
  readonly forMs: number
}

/** The lease of a write has been granted to another owner, or its owner must begin anew: nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor({ name, fence }: Pick<Lease, 'name' | 'fence'>) {
    super(`the lease of ${name} with fence ${fence} was given to another`)
  }
}

/** Every function throws `Failure` `unavailable` when the store does not answer. */
export interface Leases {
  /**
   * Grants the lease when it is free or expired, or when the owner itself has it and was restarted; undefined while
   * another has it. An end further ahead than `forMs` was written by a clock that has been put back, and counts as
   * expired. When the outcome is unknown, repeating it is right.
   */
  readonly acquire: (request: LeaseRequest) => Promise<Lease | undefined>
  /** Extends it to `forMs` from now, also when it has expired; false when another owner has it. */
  readonly renew: (lease: Lease, forMs: number) => Promise<boolean>
  /** Ends it, so that no owner waits for its expiry; no effect when another owner has it. */
  readonly release: (lease: Lease) => Promise<void>
}
