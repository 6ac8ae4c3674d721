/** Declares the routes for the erasure of a person's data and the erasure certificates. */

import {
  type ErasedPerson,
  type ErasureInput,
  type ErasureView,
  erasedKinds,
  erasePerson,
} from '../../commands/audit/erasePerson.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { isEntryReason } from '../../domain/lists/lists.ts'
import { count, limits, optional, type Schema, timeText } from '../../domain/schema.ts'
import { isAppId } from '../../domain/sessions/appId.ts'
import { canonicalIdentifier, expectedIdentifier } from '../../domain/sessions/identifiers.ts'
import { findErasure } from '../../queries/audit/erasures.ts'
import { written } from '../request/answer.ts'
import { noBody, schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { noQuery } from '../request/queryReader.ts'
import { accountAccess, everyScopeAccess, type Route, type Served } from '../request/route.ts'
import { inputSchema, viewSchema } from '../request/schema/fields.ts'

const reasonMax = 500

/** A body as its schema lets it through. */
interface GivenErasure {
  readonly phone_number?: string
  readonly email_address?: string
  readonly user?: GivenUser
  readonly reason?: string
}

interface GivenUser {
  readonly app_id: string
  readonly user_id: string
}

const erasureInputSchema: Schema = inputSchema<GivenErasure>('ErasureInput', {
  phone_number: optional({ type: 'string', maxLength: limits.text }),
  email_address: optional({ type: 'string', maxLength: limits.text }),
  user: optional(
    inputSchema<GivenUser>('ErasedUser', {
      app_id: { type: 'string', maxLength: limits.id },
      user_id: { type: 'string', maxLength: limits.id },
    }),
  ),
  reason: optional({
    type: 'string',
    minLength: 1,
    maxLength: reasonMax,
    description: 'Recorded in clear, so it must not name the person. Without control characters.',
  }),
})

const position: Schema = { type: 'string', description: 'In the log.' }

const erasureSchema: Schema = viewSchema<ErasureView>('Erasure', {
  id: { type: 'string' },
  kind: { type: 'string', enum: erasedKinds, description: 'How the person was identified.' },
  reason: optional({ type: 'string' }),
  requested_by: { type: 'string', description: 'Id of the token.' },
  requested_at: { ...timeText, description: 'Everything answered before this time is erased.' },
  erased_at: { ...timeText, description: 'When the erasure was complete.' },
  keys: {
    ...count,
    description: 'Destroyed sealing keys of the person, including those of earlier erasures.',
  },
  evaluations: {
    ...count,
    description: 'Evaluations whose evidence is erased; the verdicts stay.',
  },
  dispatches: { ...count, description: 'Dispatches that those evaluations named.' },
  users: { ...count, description: 'Users deleted with the person.' },
  position: { ...position, description: 'Position of the certificate in the log.' },
  erasures: {
    type: 'array',
    items: position,
    description: "Positions of the events that record the destruction of the person's keys.",
  },
})

/** `/v2/watch/subjects/erase` and `/v2/watch/subjects/erasures/{erasure_id}`. */
export function erasureRoutes(served: Served): readonly Route[] {
  return [eraseRoute(served), certificateRoute(served)]
}

function eraseRoute({ authenticate, context }: Served): Route {
  return defineRoute({
    method: 'POST',
    path: '/v2/watch/subjects/erase',
    operationId: 'eraseSubject',
    summary: 'Erase a person permanently by destroying the keys of all personal data',
    tag: 'Audit',
    kind: 'write',
    access: everyScopeAccess(authenticate, ['manage', 'audit']),
    ids: {},
    query: noQuery,
    body: schemaBody<GivenErasure>(erasureInputSchema),
    answers: { 200: { description: 'The certificate.', schema: erasureSchema } },
    failures: ['not_found', 'conflict'],
    serve: async ({ call, body }) => written(200, await erasePerson(context, call, inputOf(body))),
  })
}

function certificateRoute({ authenticate, context }: Served): Route {
  return defineRoute({
    method: 'GET',
    path: '/v2/watch/subjects/erasures/{erasure_id}',
    operationId: 'getErasure',
    summary: 'Retrieve the certificate of an erasure',
    tag: 'Audit',
    kind: 'plain',
    access: accountAccess(authenticate, 'audit'),
    ids: { erasure_id: idPrefixes.erasure },
    query: noQuery,
    body: noBody,
    answers: { 200: { description: 'The certificate.', schema: erasureSchema } },
    failures: [],
    serve: async ({ call, ids }) => ({
      status: 200,
      body: await findErasure(context, call, ids.erasure_id),
    }),
  })
}

/** Throws `invalid_request` for none or several persons, for what is no number or address, and for a reason of several lines. */
function inputOf(given: GivenErasure): ErasureInput {
  const { reason } = given
  const problems: FailureDetail[] = []
  const person = personOf(given, problems)
  if (reason !== undefined && !isEntryReason(reason)) {
    problems.push({
      path: 'reason',
      message: 'Must be well-formed text without control characters, such as line breaks.',
    })
  }
  if (problems.length > 0 || !person) throw invalidRequest(problems)
  return { person, ...(reason !== undefined && { reason }) }
}

function personOf(given: GivenErasure, problems: FailureDetail[]): ErasedPerson | undefined {
  const [kind, ...more] = erasedKinds.filter((one) => given[one] !== undefined)
  if (kind === undefined || more.length > 0) {
    const message = 'Give exactly one of phone_number, email_address and user.'
    problems.push({ path: more[0] ?? 'phone_number', message })
    return undefined
  }
  if (kind === 'user') return userOf(given.user, problems)
  const named = canonicalIdentifier({ type: kind, value: given[kind] ?? '' })
  if (named) return { kind, value: named.value }
  problems.push({ path: kind, message: `Must be ${expectedIdentifier(kind)}.` })
  return undefined
}

function userOf(user: GivenUser | undefined, problems: FailureDetail[]): ErasedPerson | undefined {
  const { app_id: appId = '', user_id: userId = '' } = user ?? {}
  if (isAppId(appId) && isId(idPrefixes.user, userId)) return { kind: 'user', appId, userId }
  problems.push({ path: 'user', message: 'Must be the ids of an application and of its user.' })
  return undefined
}
