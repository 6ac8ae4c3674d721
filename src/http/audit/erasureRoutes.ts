/** Declares the routes for the erasure of a person's data and the erasure certificates. */

import {
  type ErasureInput,
  erasePerson,
  type PersonToErase,
  personIdKinds,
} from '../../commands/audit/erasePerson.ts'
import { type FailureDetail, invalidRequest } from '../../domain/failure.ts'
import { idPrefixes, isId } from '../../domain/ids.ts'
import { closedObject, inputLimits, optional, type TypeOf } from '../../domain/jsonSchema.ts'
import { isAppId } from '../../domain/sessions/appId.ts'
import {
  describeIdentifierRefusal,
  normalizeStoredIdentifier,
} from '../../domain/sessions/userIdentifiers.ts'
import { findErasure } from '../../queries/audit/findErasure.ts'
import { erasureSchema } from '../../state/audit/erasureCertificate.ts'
import { findReasonProblems } from '../lists/entryForm.ts'
import { accountAccess, bothScopesAccess } from '../request/access.ts'
import { schemaBody } from '../request/body/bodyReader.ts'
import { defineRoute, type Route } from '../request/route.ts'

const reasonMax = 500
const id = { type: 'string', maxLength: inputLimits.id } as const

const erasureInputSchema = closedObject('ErasureInput', {
  phone_number: optional({ type: 'string', maxLength: inputLimits.stringSchema }),
  email_address: optional({ type: 'string', maxLength: inputLimits.stringSchema }),
  user: optional(closedObject('ErasedUser', { app_id: id, user_id: id })),
  reason: optional({
    type: 'string',
    minLength: 1,
    maxLength: reasonMax,
    description: 'Recorded in clear, so it must not name the person. Without control characters.',
  }),
})
type GivenErasure = TypeOf<typeof erasureInputSchema>

/** `/v2/watch/subjects/erase` and `/v2/watch/subjects/erasures/{erasure_id}`. */
export const erasureRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v2/watch/subjects/erase',
    operationId: 'eraseSubject',
    summary: 'Erase a person permanently by destroying the keys of all personal data',
    tag: 'Audit',
    access: bothScopesAccess(['manage', 'audit']),
    body: schemaBody(erasureInputSchema),
    answers: { 200: { description: 'The certificate.', schema: erasureSchema } },
    failures: ['not_found', 'conflict'],
    serve: ({ context, call, body }) => erasePerson(context, call, readErasureInput(body)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v2/watch/subjects/erasures/{erasure_id}',
    operationId: 'getErasure',
    summary: 'Retrieve the certificate of an erasure',
    tag: 'Audit',
    kind: 'plain',
    access: accountAccess('audit'),
    ids: { erasure_id: idPrefixes.erasure },
    answers: { 200: { description: 'The certificate.', schema: erasureSchema } },
    serve: async ({ context, call, ids }) => ({
      value: await findErasure(context, call, ids.erasure_id),
    }),
  }),
]

/** Throws `invalid_request` for none or several persons, an invalid number or address, a reason of several lines. */
function readErasureInput(given: GivenErasure): ErasureInput {
  const { reason } = given
  const problems: FailureDetail[] = []
  const person = readPerson(given, problems)
  problems.push(...findReasonProblems(reason))
  if (problems.length > 0 || !person) throw invalidRequest(problems)
  return { person, ...(reason !== undefined && { reason }) }
}

function readPerson(given: GivenErasure, problems: FailureDetail[]): PersonToErase | undefined {
  const [kind, ...more] = personIdKinds.filter((one) => given[one] !== undefined)
  if (kind === undefined || more.length > 0) {
    const message = 'Give exactly one of phone_number, email_address and user.'
    problems.push({ path: more[0] ?? 'phone_number', message })
    return undefined
  }
  if (kind === 'user') return readUser(given.user, problems)
  const identifier = { type: kind, value: given[kind] ?? '' }
  const named = normalizeStoredIdentifier(identifier)
  if (named) return { kind, value: named.value }
  problems.push({ path: kind, message: describeIdentifierRefusal(identifier) })
  return undefined
}

function readUser(
  user: GivenErasure['user'],
  problems: FailureDetail[],
): PersonToErase | undefined {
  const { app_id: appId = '', user_id: userId = '' } = user ?? {}
  if (isAppId(appId) && isId(idPrefixes.user, userId)) return { kind: 'user', appId, userId }
  problems.push({ path: 'user', message: 'Must be the ids of an application and of its user.' })
  return undefined
}
