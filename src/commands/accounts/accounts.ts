/** Opens accounts and sets their access: authoring, management, trusted users, suffixes. */

import type { Call, Written } from '../../domain/call.ts'
import { Failure, notFound } from '../../domain/failure.ts'
import { derivedId } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  closedObject,
  flag,
  limits,
  openObject,
  optionalFields,
  type TypeOf,
  text,
} from '../../domain/schema.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
  evolveAccount,
  noAccount,
  trimAccount,
} from '../../events/accounts/account.ts'
import type { Writing } from '../handling/context.ts'
import type { StreamType } from '../handling/streamType.ts'
import { eventContextOf, write } from '../handling/write.ts'
import type { AccountStreams } from './assertAccess.ts'

/** Bytes of a string, list or object without its contents. */
const ownBytes = 24
/** Bytes of an entry of a list or object. */
const placeBytes = 8
/** Strings with other characters take two bytes for each UTF-16 unit. */
const isWide = /[^\0-\xff]/

export const accountInputSchema = closedObject('AccountInput', {
  name: { type: 'string', minLength: 1, maxLength: limits.name },
})
type AccountInput = TypeOf<typeof accountInputSchema>

export const openedAccountSchema = openObject('Account', { account_id: text })

const access = { authoring: flag, management: flag, trusted_user: flag, custom_suffix: flag }

/** What an account may use. */
export const accessSchema = openObject('Access', access)
type Access = TypeOf<typeof accessSchema>

export const accessInputSchema = closedObject('AccessInput', optionalFields(access), {
  description: 'Omitted fields stay.',
  minProperties: 1,
})
export type AccessInput = TypeOf<typeof accessInputSchema>

type Context = Writing & AccountStreams

export async function openAccount(
  context: Context,
  call: Call<Principal>,
  input: AccountInput,
): Promise<Written<{ readonly account_id: string }>> {
  const eventContext = eventContextOf(context, call, {
    account: '',
    operation: 'accounts.open',
    input,
    ownStream: true,
  })
  const accountId = derivedId('acc', eventContext.command, 'account')
  const written = await write(context, context.accounts, {
    stream: accountStream(accountId),
    context: { ...eventContext, account: accountId },
    decide: decideOpening({ accountId, name: input.name }),
  })
  return { ...written, value: { account_id: accountId } }
}

/** Throws `not_found`. */
export async function setAccess(
  context: Context,
  call: Call<Principal>,
  { account, ...input }: AccessInput & { readonly account: string },
): Promise<Written<Access>> {
  const stream = accountStream(account)
  const written = await write(context, context.accounts, {
    stream,
    context: eventContextOf(context, call, { account, operation: 'access.set', input }),
    decide: decideAccess(input),
  })
  const { state, repeated, position } = written.value
  // a request sent again is answered as it was, whatever has been set since
  const { authoring, management, trustedUser, customSuffix } = repeated
    ? await context.accounts.stateAt(stream, position)
    : state
  const value = { authoring, management, trusted_user: trustedUser, custom_suffix: customSuffix }
  return { ...written, value }
}

/** An account is opened once. */
export function decideOpening(input: { readonly accountId: string; readonly name: string }) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (state.opened) throw new Failure('conflict', 'The account is open already.')
    return [{ type: 'AccountOpened', data: { account_id: input.accountId, name: input.name } }]
  }
}

/** An event for each access that changes; what the input leaves out stays. */
export function decideAccess(input: AccessInput) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    const switches: readonly Switch[] = [
      {
        wanted: input.authoring,
        is: state.authoring,
        on: 'AuthoringEnabled',
        off: 'AuthoringDisabled',
      },
      {
        wanted: input.management,
        is: state.management,
        on: 'ManagementEnabled',
        off: 'ManagementDisabled',
      },
      {
        wanted: input.trusted_user,
        is: state.trustedUser,
        on: 'TrustedUserAgreed',
        off: 'TrustedUserWithdrawn',
      },
      {
        wanted: input.custom_suffix,
        is: state.customSuffix,
        on: 'CustomSuffixEnabled',
        off: 'CustomSuffixDisabled',
      },
    ]
    return switches.flatMap(change)
  }
}

type SwitchType = Exclude<
  Extract<AccountEvent, { readonly data: Record<string, never> }>['type'],
  'PredictionFlowCleared'
>

/** One access: as it is, as it is to be (undefined: as it is), and the events that say so. */
interface Switch {
  readonly wanted: boolean | undefined
  readonly is: boolean
  readonly on: SwitchType
  readonly off: SwitchType
}

function change({ wanted, is, on, off }: Switch): readonly AccountEvent[] {
  if (wanted === undefined || wanted === is) return []
  return [{ type: wanted ? on : off, data: {} }]
}

/** The decision: nothing when it is so already; undefined says that none does. Throws `not_found`. */
export function setPredictionFlow(flowId: string | undefined) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw notFound()
    if (state.predictionFlow === flowId) return []
    if (flowId === undefined) return [{ type: 'PredictionFlowCleared', data: {} }]
    return [{ type: 'PredictionFlowSet', data: { flow_id: flowId } }]
  }
}

export const accountStreamType: StreamType<AccountState, AccountEvent> = {
  initial: () => noAccount,
  evolve: evolveAccount,
  trim: trimAccount,
  weigh: ({ tokens, sdkKeys }) =>
    tokens.size * tokenBytes + sdkKeys.size * sdkKeyBytes + originBytes(sdkKeys),
}

/** About what a token with a few scopes takes. */
const tokenBytes = weightOf({
  id: 'x'.repeat(30),
  hash: 'x'.repeat(64),
  scopes: ['eval', 'author', 'analyse'],
  revoked: false,
  expiresAt: 0,
})

const sdkKeyBytes = weightOf({ id: 'x'.repeat(30), revoked: false })

function originBytes(keys: AccountState['sdkKeys']): number {
  let bytes = 0
  for (const { origins } of keys.values()) if (origins) bytes += weightOf(origins)
  return bytes
}

/** Estimates the bytes of memory that plain data takes; an object that is referenced twice counts twice. */
function weightOf(value: unknown): number {
  if (typeof value === 'string') return ownBytes + value.length * (isWide.test(value) ? 2 : 1)
  if (typeof value !== 'object' || value === null) return placeBytes
  let bytes = ownBytes
  for (const part of Object.values(value)) bytes += placeBytes + weightOf(part)
  return bytes
}
