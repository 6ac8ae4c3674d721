/** The phone lists of an account (spec 4.3). */

import { type PhoneList, phoneLists } from '../../domain/phoneLists.ts'
import { openShares, type Shares } from '../../domain/shares.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { ListsPart } from '../../service/lists/listsPart.ts'
import { accountAccess } from '../request/access.ts'
import { seen, written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { wholeOrPage } from '../request/wholeOrPage.ts'
import { historyQuery } from './historyQuery.ts'
import {
  type GivenPhoneNumber,
  listedNumberSchema,
  phoneNumberDeletionSchema,
  phoneNumberHistorySchema,
  phoneNumberInputSchema,
  phoneNumbersSchema,
} from './phoneListSchemas.ts'
import { phoneNumberInput } from './phoneNumberInput.ts'
import { transferRoutes } from './transferRoutes.ts'
import { wholeList } from './wholeList.ts'

type Lists = AccountsPart & ListsPart

/** Long answers, and imports, under way at once: of an account, and of all. */
const longAnswers = { share: 4, total: 32 }

/** `/v2/verification/management/phone-numbers/{action}`, for accounts on which the operator has enabled it. */
export function phoneListRoutes(service: Lists): readonly Route[] {
  const streams = openShares(longAnswers)
  return [
    addRoute(service),
    removeRoute(service),
    listRoute(service, streams),
    historyRoute(service),
    ...transferRoutes(service, streams),
  ]
}

const path = '/v2/verification/management/phone-numbers/{action}'

const common = ({ authenticate }: AccountsPart) =>
  ({
    path,
    tag: 'Verification management',
    access: accountAccess(authenticate, 'manage'),
    ids: { action: phoneLists },
    query: noQuery,
    failures: ['access_not_enabled'],
  }) as const

function addRoute(service: Lists): Route {
  return defineRoute({
    ...common(service),
    method: 'POST',
    kind: 'write',
    operationId: 'addPhoneNumber',
    summary:
      'Put a phone number on a list; one that stands there with the same content is no error',
    failures: ['access_not_enabled', 'conflict'],
    body: schemaBody<GivenPhoneNumber>(phoneNumberInputSchema),
    answers: { 201: { description: 'The number stands on the list.', schema: listedNumberSchema } },
    serve: async ({ call, ids, body }) =>
      written(201, await service.phoneNumbers.add(call, phoneNumberInput(listIn(ids), body))),
  })
}

function removeRoute(service: Lists): Route {
  return defineRoute({
    ...common(service),
    method: 'DELETE',
    kind: 'write',
    operationId: 'deletePhoneNumber',
    summary: 'Take a phone number off a list; one that does not stand there is no error',
    failures: ['access_not_enabled', 'conflict'],
    body: schemaBody<Omit<GivenPhoneNumber, 'expires_at'>>(phoneNumberDeletionSchema),
    answers: { 202: { description: 'The number is not on the list.', schema: listedNumberSchema } },
    serve: async ({ call, ids, body }) =>
      written(202, await service.phoneNumbers.remove(call, phoneNumberInput(listIn(ids), body))),
  })
}

function listRoute(service: Lists, streams: Shares): Route {
  return defineRoute({
    ...common(service),
    method: 'GET',
    kind: 'read',
    operationId: 'listPhoneNumbers',
    summary: 'The phone numbers of a list in the order in which they were added: all, or a page',
    query: wholeOrPage,
    body: noBody,
    answers: { 200: { description: 'The entries.', schema: phoneNumbersSchema } },
    serve: async ({ call, ids, query: { minPosition, limit, cursor } }) => {
      const asking = { list: listIn(ids), ...(minPosition !== undefined && { minPosition }) }
      if (limit === undefined) {
        const { value: pages, position } = await service.phoneNumbers.listAll(call, asking)
        const whole = { plural: 'phone_numbers', pages }
        const answer = await wholeList(whole, streams, call.principal.accountId)
        return { status: 200, position, ...answer }
      }
      const page = { limit, ...(cursor !== undefined && { cursor }) }
      const { value, position } = await service.phoneNumbers.list(call, { ...asking, ...page })
      return seen({ value: pageOf('phone_numbers', value), position })
    },
  })
}

function historyRoute(service: Lists): Route {
  return defineRoute({
    ...common(service),
    method: 'GET',
    path: `${path}/history`,
    kind: 'read',
    operationId: 'listPhoneNumberHistory',
    summary: 'Who did what with a phone number on a list, when and why',
    query: historyQuery,
    body: noBody,
    answers: { 200: { description: 'The oldest first.', schema: phoneNumberHistorySchema } },
    serve: async ({ call, ids, query }) => {
      const asked = { list: listIn(ids), ...query }
      const { value, position } = await service.phoneNumbers.history(call, asked)
      return seen({ value: pageOf('changes', value), position })
    },
  })
}

function listIn({ action }: { readonly action: string }): PhoneList {
  // the route lets no other through
  return action as PhoneList
}

function pageOf(
  plural: string,
  { items, nextCursor }: { items: readonly object[]; nextCursor?: string },
) {
  return { [plural]: items, ...(nextCursor !== undefined && { next_cursor: nextCursor }) }
}
