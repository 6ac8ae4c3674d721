/** Resolves a list; validates a value for it, derives canonical form, stream and cache key. */

import type { Call } from '../../domain/call.ts'
import { invalidRequest, requireExisting } from '../../domain/failure.ts'
import { isPhoneList, type ListAddress, subjectKindByListKind } from '../../domain/lists/lists.ts'
import { describeValueRefusal, normalizeListValue } from '../../domain/lists/listValue.ts'
import { parseIpNetwork } from '../../domain/network/cidr.ts'
import {
  type RulebookEvent,
  type RulebookState,
  rulebookStream,
} from '../../events/rulebook/rulebook.ts'
import {
  type AccountStreams,
  requireAuthoring,
  requireManagement,
} from '../accounts/requireAccess.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { StateContext } from '../folding/stateContext.ts'
import type { ListedValue } from './listCache.ts'
import { deriveEntryStream, type ValueOnList } from './listLookups.ts'

/** What finding a list and an entry of it takes. */
export interface ListContext extends AccountStreams, Pick<StateContext, 'keyring'> {
  readonly rulebooks: FoldedStreamCache<RulebookState, RulebookEvent>
}

export interface ListRef {
  /** `allow` or `block`, the phone lists that every account has, or the id of one that its authors have made. */
  readonly list: string
}

export interface EntryKey extends ListedValue {
  /** In canonical form. */
  readonly value: string
  readonly stream: string
}

/** The key of a value: keyed digests alone. Throws `invalid_request` for a value not of the list's kind. */
export function deriveEntryKey(
  { keyring }: Pick<StateContext, 'keyring'>,
  { account, address: { list, kind }, value: text }: ValueOnList,
  normalize = normalizeListValue,
): EntryKey {
  const value = normalize(kind, text)
  if (value === undefined) {
    const path = isPhoneList(list) ? 'phone_number' : 'value'
    throw invalidRequest([{ path, message: describeValueRefusal(kind, text) }])
  }
  const subject = keyring.subject(account, subjectKindByListKind[kind], value)
  const network = kind === 'ip_range' ? parseIpNetwork(value) : undefined
  const stream = deriveEntryStream({ keyring }, { account, list, subject })
  const size = network && { version: network.version, prefix: network.prefix }
  return { account, list, subject, network: size, value, stream }
}

/**
 * The list of the caller's account. Throws `access_not_enabled` on an account that may not manage its verification
 * settings, for phone lists, or not author, for all others, and `not_found`.
 */
export async function requireListAddress(
  context: Omit<ListContext, 'keyring'>,
  call: Call,
  list: string,
): Promise<ListAddress> {
  if (isPhoneList(list)) {
    await requireManagement(context, call)
    return { list, kind: 'phone_number' }
  }
  await requireAuthoring(context, call)
  const stream = rulebookStream(call.principal.accountId)
  const { state } = await context.rulebooks.getFolded(stream)
  // another instance may have made it a moment ago
  const { lists } = state.lists.has(list) ? state : (await context.rulebooks.catchUp(stream)).state
  return { list, kind: requireExisting(lists.get(list)).kind }
}
