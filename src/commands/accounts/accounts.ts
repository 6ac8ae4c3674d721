/** Opens accounts, sets their access rights, and declares their stream type. */

import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import {
  booleanSchema,
  closedObject,
  nameSchema,
  openObject,
  optionalFields,
  type TypeOf,
  text,
} from '../../domain/jsonSchema.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  accessChanges,
  accountStream,
} from '../../events/accounts/account.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import type { WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndPresent, executeAndWait } from '../handling/executeCommand.ts'

export const accountInputSchema = closedObject('AccountInput', {
  name: nameSchema,
})
type AccountInput = TypeOf<typeof accountInputSchema>

export const openedAccountSchema = openObject('Account', { account_id: text })

const access = {
  authoring: booleanSchema,
  management: booleanSchema,
  trusted_user: booleanSchema,
  custom_suffix: booleanSchema,
}

/** What an account may use. */
export const accessSchema = openObject('Access', access)
type Access = TypeOf<typeof accessSchema>

export const accessInputSchema = closedObject('AccessInput', optionalFields(access), {
  description: 'Omitted fields stay.',
  minProperties: 1,
})
export type AccessInput = TypeOf<typeof accessInputSchema>

type Context = WriteContext & AccountStreams

export async function openAccount(
  context: Context,
  call: Call<Principal>,
  input: AccountInput,
): Promise<WriteResult<{ readonly account_id: string }>> {
  const eventContext = buildEventContext(context, call, {
    account: '',
    operation: 'accounts.open',
    input,
    ownStream: true,
  })
  const accountId = deriveId('acc', eventContext.command, 'account')
  const written = await executeAndWait(context, context.accounts, {
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
): Promise<WriteResult<Access>> {
  return executeAndPresent(context, context.accounts, {
    stream: accountStream(account),
    context: buildEventContext(context, call, { account, operation: 'access.set', input }),
    decide: decideAccess(input),
    present: ({ authoring, management, trusted_user, custom_suffix }) => ({
      authoring,
      management,
      trusted_user,
      custom_suffix,
    }),
  })
}

/** An account is opened once. */
export function decideOpening(input: { readonly accountId: string; readonly name: string }) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (state.opened) throw new Failure('conflict', 'The account is open already.')
    return [{ type: 'AccountOpened', data: { account_id: input.accountId, name: input.name } }]
  }
}

type AccessEvent = keyof typeof accessChanges
const changes = Object.entries(accessChanges) as [
  AccessEvent,
  (typeof accessChanges)[AccessEvent],
][]

/** An event for each access that changes; what the input leaves out stays. */
export function decideAccess(input: AccessInput) {
  return (state: AccountState): readonly AccountEvent[] => {
    if (!state.opened) throw new Failure('not_found', 'There is no such account.')
    return changes
      .filter(([, [name, isOn]]) => input[name] === isOn && state[name] !== isOn)
      .map(([type]) => ({ type, data: {} }))
  }
}
