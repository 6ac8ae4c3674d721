/** What the operator does with the public keys of an account's front ends: issues, restricts and revokes them. */

import { sdkKeyText } from '../../auth/sdkKey.ts'
import { issueSdkKey, revokeSdkKey, setSdkKeyOrigins } from '../../commands/accounts/issueSdkKey.ts'
import { derivedId } from '../../domain/ids.ts'
import {
  accountStream,
  eventContextOf,
  type ServiceContext,
  write,
} from '../opening/serviceContext.ts'
import type { AccountsPart } from './accountsPart.ts'
import { wasIssued } from './wasIssued.ts'

type Accounts = AccountsPart['accounts']

/** The commands on SDK keys. */
export function openSdkKeyCommands(
  context: ServiceContext,
): Pick<Accounts, 'issueSdkKey' | 'setSdkKeyOrigins' | 'revokeSdkKey'> {
  return {
    issueSdkKey: issueSdkKeyOf(context),
    setSdkKeyOrigins: setSdkKeyOriginsOf(context),
    revokeSdkKey: revokeSdkKeyOf(context),
  }
}

function issueSdkKeyOf(context: ServiceContext): Accounts['issueSdkKey'] {
  return async (call, accountId, input) => {
    const eventContext = eventContextOf(context, call, {
      account: accountId,
      operation: 'sdk_keys.issue',
      input,
    })
    const written = await write(context, context.accounts, {
      stream: accountStream(accountId),
      context: eventContext,
      decide: issueSdkKey({ ...input, keyId: keyIdOf(eventContext.command) }),
    })
    // there is no secret in it, so a request sent again is answered as it was
    const keyId = keyIdOf(written.value.command)
    return { ...written, value: { ...issuedKey(context, accountId, keyId), ...input } }
  }
}

function issuedKey({ keyring }: ServiceContext, accountId: string, keyId: string) {
  return { key_id: keyId, sdk_key: sdkKeyText({ accountId, keyId }, keyring.digest) }
}

function setSdkKeyOriginsOf(context: ServiceContext): Accounts['setSdkKeyOrigins'] {
  return async (call, accountId, { key_id: keyId, origins }) => {
    const written = await write(context, context.accounts, {
      stream: accountStream(accountId),
      context: eventContextOf(context, call, {
        account: accountId,
        operation: `sdk_keys.origins ${keyId}`,
        input: origins,
      }),
      decide: setSdkKeyOrigins(keyId, origins),
    })
    return { ...written, value: { ...issuedKey(context, accountId, keyId), origins } }
  }
}

function keyIdOf(command: string): string {
  return derivedId('sdk', command, 'sdk key')
}

function revokeSdkKeyOf(context: ServiceContext): Accounts['revokeSdkKey'] {
  return async (call, accountId, keyId) => {
    const stream = accountStream(accountId)
    const issued = await wasIssued(context, stream, {
      isHeld: ({ sdkKeys }) => sdkKeys.has(keyId),
      isIssue: ({ type, data }) => type === 'SdkKeyIssued' && data.key_id === keyId,
    })
    const written = await write(context, context.accounts, {
      stream,
      context: eventContextOf(context, call, {
        account: accountId,
        operation: `sdk_keys.revoke ${keyId}`,
        input: null,
      }),
      decide: revokeSdkKey(keyId, issued),
    })
    return { ...written, value: undefined }
  }
}
