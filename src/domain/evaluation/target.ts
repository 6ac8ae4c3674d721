/** Declares the target of an evaluation: the end user in canonical form (spec 2.2). */
export interface Target {
  /** E.164. */
  readonly phone_number?: string
  /** Normalised address. */
  readonly email_address?: string
}
