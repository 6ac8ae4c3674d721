/** Declares the port of leases: one owner at a time, fenced against owners that lost it. */

export interface Lease {
  /** What it is for: lower-case letters and `_`. */
  readonly name: string
  /** Who has it. */
  readonly owner: string
  /** Greater than that of every lease of this name given before. */
  readonly fence: number
}

export interface LeaseRequest extends Pick<Lease, 'name' | 'owner'> {
  /** For how long, in ms, by the clock of the store. */
  readonly forMs: number
}

/** Who was given a lease last. */
export interface LeaseHolder extends Pick<Lease, 'owner' | 'fence'> {
  /** Whether its time is not over and it was not released. */
  readonly isHeld: boolean
}

/** What was to be written under a lease that another has been given since: nothing was written. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'

  constructor({ name, fence }: Pick<Lease, 'name' | 'fence'>) {
    super(`the lease of ${name} with fence ${fence} was given to another`)
  }
}

/** Every function throws `Failure` `unavailable` when the store does not answer. */
export interface Leases {
  /**
   * Gives the lease to the owner when nobody has it, when its time is over, or when the owner itself has it, who may have begun anew;
   * undefined while another has it. An end that lies further ahead than `forMs` was written by a clock that has been put back since, and
   * holds nobody off. When the outcome is unknown, asking again is right.
   */
  readonly acquire: (request: LeaseRequest) => Promise<Lease | undefined>
  /** From now on for `forMs`, also when its time was over; false when another has been given it since. */
  readonly renew: (lease: Lease, forMs: number) => Promise<boolean>
  /** Lets go of it, so that nobody has to wait for its end; nothing happens when another has been given it. */
  readonly release: (lease: Lease) => Promise<void>
  /** Who was given it last; undefined when nobody ever was. */
  readonly holder: (name: string) => Promise<LeaseHolder | undefined>
}
