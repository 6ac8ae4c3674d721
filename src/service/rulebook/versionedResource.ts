/** A versioned resource, seen by its owner. */

import type { Asking, Call, Page, PageRequest, Seen, Written } from '../../domain/call.ts'
import type { WithIsoTimes } from '../../domain/isoTime.ts'
import type { AccountPrincipal, Principal } from '../../domain/principal.ts'
import type { Warning } from '../../domain/warning.ts'
import type { ChangeFound } from '../../queries/rulebook/versions.ts'

/**
 * One change of a rule, recipe or flow, and the version that stood from it on (of a deletion: the one that was deleted); what the
 * version says stands beside this, as in its view.
 */
export interface VersionView extends WithIsoTimes<Omit<ChangeFound, 'version'>, 'changed_at'> {
  readonly version_id: string
  /** ISO 8601 UTC. */
  readonly created_at: string
  /** Token id, or `operator`. */
  readonly created_by: string
  /** Of the last time it was made current again. */
  readonly restored_at?: string
  readonly restored_by?: string
  /** Whether the version is the one that counts now. */
  readonly current: boolean
}

/** The answer of a command that saved a version, with what in it is probably not what was meant, as things stand after it. */
export interface Saved<View> extends Written<View> {
  readonly warnings: readonly Warning[]
}

/**
 * Rules, recipes or flows, seen by their owner: an author unless said otherwise. `remove` is idempotent. `replace`, `remove` and
 * `restore` throw `precondition_failed` when the call's `ifMatch` does not hold.
 */
export interface VersionedResource<Input, View, Caller extends Principal = AccountPrincipal> {
  readonly list: (call: Call<Caller>, page: PageRequest) => Promise<Seen<Page<View>>>
  readonly get: (call: Call<Caller>, id: string, asking: Asking) => Promise<Seen<View>>
  readonly create: (call: Call<Caller>, input: Input) => Promise<Saved<View>>
  readonly replace: (call: Call<Caller>, id: string, input: Input) => Promise<Saved<View>>
  readonly remove: (call: Call<Caller>, id: string) => Promise<Written<void>>
  /** Every change, newest first, also of what is deleted. */
  readonly versions: (
    call: Call<Caller>,
    id: string,
    page: PageRequest,
  ) => Promise<Seen<Page<VersionView>>>
  /** Makes an earlier version current again. */
  readonly restore: (call: Call<Caller>, id: string, versionId: string) => Promise<Saved<View>>
}
