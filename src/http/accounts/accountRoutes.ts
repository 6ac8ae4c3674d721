/** Declares the operator's routes for accounts, their access, API tokens and SDK keys. */

import {
  accessInputSchema,
  accessSchema,
  accountInputSchema,
  openAccount,
  openedAccountSchema,
  setAccess,
} from '../../commands/accounts/accounts.ts'
import {
  issueApiToken,
  issuedTokenSchema,
  tokenInputSchema,
} from '../../commands/accounts/issueApiToken.ts'
import { revokeCredential } from '../../commands/accounts/revokeCredential.ts'
import {
  issueSdkKey,
  sdkKeyInputSchema,
  sdkKeyOriginsSchema,
  sdkKeySchema,
  setSdkKeyOrigins,
} from '../../commands/accounts/sdkKeys.ts'
import { idPrefixes } from '../../domain/ids.ts'
import {
  accountListSchema,
  accountSchema,
  findAccount,
  listAccounts,
} from '../../queries/accounts/accounts.ts'
import { operatorAccess } from '../request/access.ts'
import { pageAnswer, valueAnswer } from '../request/answer.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { minPositionQuery, pageQuery } from '../request/queryReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const path = '/v2/operator/accounts'
const accountPath = `${path}/{account_id}`
const accountIds = { account_id: idPrefixes.account }
const tokenIds = { ...accountIds, token_id: idPrefixes.token }
const keyIds = { ...accountIds, key_id: idPrefixes.sdkKey }

const common = { tag: 'Operator', access: operatorAccess } as const

/** `/v2/operator/accounts`, all for the operator token alone. */
export const accountRoutes: readonly Route[] = [
  defineRoute({
    ...common,
    method: 'GET',
    path,
    operationId: 'listAccounts',
    summary: 'List the accounts, in the order they were opened',
    query: pageQuery,
    answers: { 200: { description: 'One page of accounts.', schema: accountListSchema } },
    serve: ({ context, call, query }) => pageAnswer('accounts', listAccounts(context, call, query)),
  }),
  defineRoute({
    ...common,
    method: 'GET',
    path: accountPath,
    operationId: 'getAccount',
    summary: 'Retrieve an account',
    ids: accountIds,
    query: minPositionQuery,
    answers: { 200: { description: 'The account.', schema: accountSchema } },
    serve: ({ context, ids, query }) =>
      valueAnswer(findAccount(context, { id: ids.account_id, ...query })),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path,
    operationId: 'openAccount',
    summary: 'Open an account',
    body: schemaBody(accountInputSchema),
    answers: { 201: { description: 'The account.', schema: openedAccountSchema } },
    serve: ({ context, call, body }) => openAccount(context, call, body),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    path: `${accountPath}/access`,
    operationId: 'setAccess',
    summary: 'Set the access of an account',
    ids: accountIds,
    body: schemaBody(accessInputSchema),
    answers: { 200: { description: 'The access of the account.', schema: accessSchema } },
    serve: ({ context, call, ids: { account_id: account }, body }) =>
      setAccess(context, call, { account, ...body }),
  }),
  defineRoute({
    ...common,
    method: 'POST',
    path: `${accountPath}/tokens`,
    operationId: 'issueToken',
    summary: 'Issue an API token',
    ids: accountIds,
    body: schemaBody(tokenInputSchema),
    answers: { 201: { description: 'The token.', schema: issuedTokenSchema } },
    serve: ({ context, call, ids: { account_id: account }, body }) =>
      issueApiToken(context, call, { account, ...body }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: `${accountPath}/tokens/{token_id}`,
    operationId: 'revokeToken',
    summary: 'Revoke an API token; idempotent',
    ids: tokenIds,
    answers: { 204: { description: 'The token is revoked.' } },
    serve: ({ context, call, ids: { account_id: account, token_id: id } }) =>
      revokeCredential(context, call, { account, kind: 'token', id }),
  }),
  // SDK keys are listed with their account
  defineRoute({
    ...common,
    method: 'POST',
    path: `${accountPath}/sdk-keys`,
    operationId: 'issueSdkKey',
    summary: 'Issue a public SDK key',
    ids: accountIds,
    body: schemaBody(sdkKeyInputSchema),
    answers: { 201: { description: 'The key.', schema: sdkKeySchema } },
    serve: ({ context, call, ids: { account_id: account }, body }) =>
      issueSdkKey(context, call, { account, ...body }),
  }),
  defineRoute({
    ...common,
    method: 'PUT',
    path: `${accountPath}/sdk-keys/{key_id}`,
    operationId: 'setSdkKeyOrigins',
    summary: 'Set the origins of an SDK key',
    ids: keyIds,
    body: schemaBody(sdkKeyOriginsSchema),
    answers: { 200: { description: 'The key, with these origins.', schema: sdkKeySchema } },
    serve: ({ context, call, ids: { account_id: account, key_id: keyId }, body }) =>
      setSdkKeyOrigins(context, call, { account, keyId, ...body }),
  }),
  defineRoute({
    ...common,
    method: 'DELETE',
    path: `${accountPath}/sdk-keys/{key_id}`,
    operationId: 'revokeSdkKey',
    summary: 'Revoke an SDK key; idempotent',
    ids: keyIds,
    answers: { 204: { description: 'The key is revoked.' } },
    serve: ({ context, call, ids: { account_id: account, key_id: id } }) =>
      revokeCredential(context, call, { account, kind: 'sdkKey', id }),
  }),
]
