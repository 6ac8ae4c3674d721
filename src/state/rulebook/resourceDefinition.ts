/** Declares how kinds of rulebook resources are defined, and who may change which rulebook. */

import type { Call } from '../../domain/call.ts'
import { type IdPrefix, managedAccountId } from '../../domain/ids.ts'
import { inputLimits } from '../../domain/jsonSchema.ts'
import type { AccountPrincipal, Principal } from '../../domain/principal.ts'
import type { SaveWarning } from '../../domain/warning.ts'
import type {
  ManagedRulebook,
  ManagedRulebookEvent,
} from '../../events/rulebook/managedRulebook.ts'
import {
  managedStream,
  type RulebookEvent,
  type RulebookState,
} from '../../events/rulebook/rulebook.ts'
import { type AccountStreams, requireAuthoring } from '../accounts/requireAccess.ts'
import type { FoldedStreamCache } from '../folding/foldedStreamCache.ts'
import type { KnownVersion, VersionRef } from './earlierVersions.ts'
import type { DecidedKind, PublishInput } from './resourceDecisions.ts'
import {
  assertRulebookLimits,
  type RulebookContext,
  type RulebookStreams,
} from './rulebookStreams.ts'
import type { NamedEntries } from './rulebookWarnings.ts'

/** The rulebook of an account, as its authors change it. */
export interface OwnRulebookTypes {
  readonly state: RulebookState
  readonly event: RulebookEvent
  readonly caller: AccountPrincipal
}

/** The rulebook of all accounts, as the operator changes it. */
export interface ManagedRulebookTypes {
  readonly state: ManagedRulebook
  readonly event: ManagedRulebookEvent
  readonly caller: Principal
}

export type RulebookTypes = OwnRulebookTypes | ManagedRulebookTypes

/** The callers that may change a rulebook, and its folded streams. */
export interface RulebookAccess<Of extends RulebookTypes> {
  readonly streams: (context: RulebookStreams) => FoldedStreamCache<Of['state'], Of['event']>
  /** The account that the caller reads and writes as. Throws for a caller who may not. */
  readonly requireAccount: (
    context: AccountStreams & Pick<RulebookStreams, 'managed'>,
    call: Call<Of['caller']>,
  ) => Promise<string>
  /** Throws `conflict` when the events make the rulebook too large; absent where only their count is limited. */
  readonly assertLimits?: (state: Of['state'], events: readonly Of['event'][]) => void
}

/** Authors, each with the rulebook of their account. Throws `access_not_enabled` without authoring. */
export const ownRulebookAccess: RulebookAccess<OwnRulebookTypes> = {
  streams: ({ rulebooks }) => rulebooks,
  requireAccount: async (context, call) => {
    await requireAuthoring(context, call)
    // decisions of customers depend on what is managed
    await context.managed.catchUp(managedStream)
    return call.principal.accountId
  },
  assertLimits: assertRulebookLimits,
}

/** The operator, with the managed rulebook in an account of its own; routes admit no other caller. */
export const managedRulebookAccess: RulebookAccess<ManagedRulebookTypes> = {
  streams: ({ managed }) => managed,
  requireAccount: async () => managedAccountId,
}

/** The decision on a command, by the state. */
export type Decide<Of extends RulebookTypes> = (state: Of['state']) => readonly Of['event'][]

/** The id of a resource, as a caller names it. */
export const resourceIdSchema = { type: 'string', minLength: 1, maxLength: inputLimits.id } as const

/** What every resource is shown with. */
export interface ResourceView {
  readonly id: string
  readonly version_id: string
}

/** How one kind of resource is decided on and shown: rules, recipes or flows. */
export interface ResourceDefinition<Input, Of extends RulebookTypes> {
  readonly name: string
  readonly noun: string
  readonly prefix: IdPrefix
  readonly owner: RulebookAccess<Of>
  /** Throws for the id of something that the caller may use but not change. */
  readonly refuse?: (context: RulebookContext, id: string) => void
  /** Versions that the inputs pin and that may not be in memory; absent where none are pinned. */
  readonly pinned?: (
    context: RulebookContext,
    account: string,
    inputs: readonly Input[],
  ) => Promise<readonly KnownVersion[]>
  readonly publish: (context: RulebookContext, publishing: PublishInput, input: Input) => Decide<Of>
  readonly retire: (context: RulebookContext, id: string) => Decide<Of> | Promise<Decide<Of>>
  readonly restore: (context: RulebookContext, version: VersionRef) => Promise<Decide<Of>>
  /** The resource as its owner sees it; undefined when it does not exist. */
  readonly view: (state: Of['state'], id: string) => ResourceView | undefined
  /** Probable mistakes in it as the state is now; none of what does not exist. */
  readonly warnings: (
    context: RulebookContext,
    state: Of['state'],
    resource: { readonly account: string; readonly id: string },
  ) => readonly SaveWarning[] | Promise<readonly SaveWarning[]>
  readonly entries: (state: Of['state']) => NamedEntries
}

/** The definition of a kind that is decided on like the others. */
export type DecidedResource<
  Input,
  Content extends object,
  Of extends RulebookTypes,
> = ResourceDefinition<Input, Of> & DecidedKind<Of['state'], Of['event'], Content>
