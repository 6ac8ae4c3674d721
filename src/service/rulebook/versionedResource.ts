/** A versioned resource, seen by its owner. */

import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { AccountPrincipal, Principal } from '../../domain/principal.ts'

/** One version of a rule, recipe or flow; what the version says stands beside this, as in its view. */
export interface VersionView {
  readonly version_id: string
  /** ISO 8601 UTC. */
  readonly created_at: string
  /** Token id, or `operator`. */
  readonly created_by: string
  /** Of the last time it was made current again. */
  readonly restored_at?: string
  readonly restored_by?: string
  readonly current: boolean
}

/**
 * Rules, recipes or flows, seen by their owner: an author unless said otherwise. `remove` is idempotent. `replace`, `remove` and
 * `restore` throw `precondition_failed` when the call's `ifMatch` does not hold.
 */
export interface VersionedResource<Input, View, Caller extends Principal = AccountPrincipal> {
  readonly list: (call: Call<Caller>, page: PageRequest) => Promise<Seen<Page<View>>>
  readonly get: (call: Call<Caller>, id: string, asking: Asking) => Promise<Seen<View>>
  readonly create: (call: Call<Caller>, input: Input) => Promise<Written<View>>
  readonly replace: (call: Call<Caller>, id: string, input: Input) => Promise<Written<View>>
  readonly remove: (call: Call<Caller>, id: string) => Promise<Written<void>>
  /** Newest first. */
  readonly versions: (
    call: Call<Caller>,
    id: string,
    page: PageRequest,
  ) => Promise<Seen<Page<VersionView>>>
  /** Makes an earlier version current again. */
  readonly restore: (call: Call<Caller>, id: string, versionId: string) => Promise<Written<View>>
}
