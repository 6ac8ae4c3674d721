/** Issues the public SDK keys of an account's front ends, and sets their origins. */

import { isDeepStrictEqual } from 'node:util'
import { deriveSdkKey } from '../../auth/sdkKey.ts'
import type { Call, WriteResult } from '../../domain/call.ts'
import { Failure, invalidRequest, notFound } from '../../domain/failure.ts'
import { deriveId } from '../../domain/ids.ts'
import {
  closedObject,
  nameSchema,
  openObject,
  optional,
  type TypeOf,
  text,
} from '../../domain/jsonSchema.ts'
import { listOriginProblems, sdkKeyOriginList } from '../../domain/network/webOrigin.ts'
import type { Principal } from '../../domain/principal.ts'
import {
  type AccountEvent,
  type AccountState,
  accountStream,
} from '../../events/accounts/account.ts'
import type { AccountStreams } from '../../state/accounts/requireAccess.ts'
import type { CommandContext, WriteContext } from '../handling/commandContext.ts'
import { buildEventContext, executeAndWait } from '../handling/executeCommand.ts'

export const sdkKeyOriginsSchema = closedObject('SdkKeyOrigins', { origins: sdkKeyOriginList })
type SdkKeyOrigins = TypeOf<typeof sdkKeyOriginsSchema>

export const sdkKeyInputSchema = closedObject('SdkKeyInput', {
  name: optional({
    ...nameSchema,
    description: 'Name: the site or app that uses it.',
  }),
  origins: optional(sdkKeyOriginList),
})
type SdkKeyInput = TypeOf<typeof sdkKeyInputSchema>

export const sdkKeySchema = openObject('SdkKey', {
  key_id: text,
  sdk_key: {
    type: 'string',
    description:
      'Sent by front ends as `X-SDK-Key`. Public: permits sending signals and nothing else.',
  },
  name: optional(text),
  origins: optional(sdkKeyOriginList),
})
export type IssuedSdkKey = TypeOf<typeof sdkKeySchema>

interface OfAccount {
  readonly account: string
}

type Context = WriteContext & AccountStreams

/** Throws `not_found`, `invalid_request` for an invalid origin, `conflict` when the account has too many in force. */
export async function issueSdkKey(
  context: Context,
  call: Call<Principal>,
  { account, ...input }: SdkKeyInput & OfAccount,
): Promise<WriteResult<IssuedSdkKey>> {
  const intention = { account, operation: 'sdk_keys.issue', input }
  const eventContext = buildEventContext(context, call, intention)
  const written = await executeAndWait(context, context.accounts, {
    stream: accountStream(account),
    context: eventContext,
    decide: decideSdkKeyIssue({ ...input, keyId: deriveKeyId(eventContext.command) }),
  })
  // there is no secret in it, so a request sent again is answered as it was
  const keyId = deriveKeyId(written.value.command)
  return { ...written, value: { ...buildIssuedKey(context, account, keyId), ...input } }
}

/** Throws `invalid_request` for an invalid origin, `not_found` for a key that is unknown or revoked. */
export async function setSdkKeyOrigins(
  context: Context,
  call: Call<Principal>,
  { account, keyId, origins }: SdkKeyOrigins & OfAccount & { readonly keyId: string },
): Promise<WriteResult<IssuedSdkKey>> {
  const intention = { account, operation: `sdk_keys.origins ${keyId}`, input: origins }
  const written = await executeAndWait(context, context.accounts, {
    stream: accountStream(account),
    context: buildEventContext(context, call, intention),
    decide: decideSdkKeyOrigins(keyId, origins),
  })
  return { ...written, value: { ...buildIssuedKey(context, account, keyId), origins } }
}

function buildIssuedKey(
  { keyring }: Pick<CommandContext, 'keyring'>,
  accountId: string,
  keyId: string,
) {
  return { key_id: keyId, sdk_key: deriveSdkKey({ accountId, keyId }, keyring.digest) }
}

function deriveKeyId(command: string): string {
  return deriveId('sdk', command, 'sdk key')
}

/** How many keys of an account may be in force at once: one for each of its front ends. */
const keysMax = 100

export function decideSdkKeyIssue({
  keyId,
  name,
  origins = [],
}: SdkKeyInput & { readonly keyId: string }) {
  assertOrigins(origins)
  return ({ opened, sdkKeys }: AccountState): readonly AccountEvent[] => {
    if (!opened) throw notFound()
    const inForce = [...sdkKeys.values()].filter(({ revoked }) => !revoked).length
    if (inForce >= keysMax) {
      throw new Failure('conflict', `An account has at most ${keysMax} SDK keys; revoke one first.`)
    }
    const data = { key_id: keyId, ...(name !== undefined && { name }) }
    const issued: AccountEvent = { type: 'SdkKeyIssued', data }
    return origins.length > 0 ? [issued, buildOriginsSet(keyId, origins)] : [issued]
  }
}

/** Unchanged origins change nothing. */
export function decideSdkKeyOrigins(keyId: string, origins: readonly string[]) {
  assertOrigins(origins)
  return ({ opened, sdkKeys }: AccountState): readonly AccountEvent[] => {
    const key = sdkKeys.get(keyId)
    if (!opened || !key || key.revoked) throw notFound()
    return isDeepStrictEqual(key.origins ?? [], origins) ? [] : [buildOriginsSet(keyId, origins)]
  }
}

function buildOriginsSet(keyId: string, origins: readonly string[]): AccountEvent {
  return { type: 'SdkKeyOriginsSet', data: { key_id: keyId, origins } }
}

function assertOrigins(origins: readonly string[]): void {
  const details = listOriginProblems(origins, 'origins')
  if (details.length > 0) throw invalidRequest(details)
}
