/** The passwords of users, as the back ends of their applications set and check them. */

import { idPrefixes } from '../../domain/ids.ts'
import type { Principal } from '../../domain/principal.ts'
import type { AccountsPart } from '../../service/accounts/accountsPart.ts'
import type { PasswordCheck, PasswordInput } from '../../service/sessions/passwordsPart.ts'
import type { SessionsPart } from '../../service/sessions/sessionsPart.ts'
import { removed } from '../request/answer.ts'
import { schemaBody } from '../request/bodyReader.ts'
import { defineRoute } from '../request/defineRoute.ts'
import { inputSchema, optional, viewSchema } from '../request/fields.ts'
import { noQuery } from '../request/queryReader.ts'
import type { Route } from '../request/route.ts'
import { limits, type Schema } from '../request/schema.ts'
import { type AppDoor, accountDoor, operatorDoor } from './appDoor.ts'
import type { PasswordLimits } from './passwordLimits.ts'
import { userPlace } from './userRoutes.ts'

type Sessions = AccountsPart & SessionsPart

const password: Schema = {
  type: 'string',
  writeOnly: true,
  description: 'Compared in Unicode form NFC; every character counts, spaces among them.',
}

export const passwordInputSchema: Schema = inputSchema<PasswordInput>('PasswordInput', { password })

/** What is asked about a password. */
interface PasswordQuestion extends PasswordInput {
  readonly client?: string
}

const questionSchema: Schema = inputSchema<PasswordQuestion>('PasswordQuestion', {
  password,
  client: optional({
    type: 'string',
    minLength: 1,
    maxLength: limits.id,
    description:
      'From where the user signs in: the IP address or the id of the device. Each client is kept to ten a minute, and who guesses from one does not lock the user out of the others.',
  }),
})

const checkSchema: Schema = viewSchema<PasswordCheck>('PasswordCheck', {
  valid: { type: 'boolean', description: 'False, too, for a user whom there is not.' },
})

/** `…/users/{userID}/password` for the account itself, and the same for the operator. */
export function passwordRoutes(service: Sessions, limits: PasswordLimits): readonly Route[] {
  const routesOf = <Caller extends Principal>(door: AppDoor<Caller>) => [
    setRoute(service, door),
    checkRoute(service, door, limits),
  ]
  return [...routesOf(accountDoor(service)), ...routesOf(operatorDoor(service))]
}

function setRoute<Caller extends Principal>({ passwords }: Sessions, door: AppDoor<Caller>): Route {
  const { path, tag, access, ids, operation } = door
  return defineRoute({
    method: 'PUT',
    path: `${path}/{appID}/users/{userID}/password`,
    operationId: operation('setPassword'),
    summary: 'Give a user a password; the sessions begun with the one before end',
    tag,
    kind: 'write',
    access,
    ids: { ...ids, appID: 'app', userID: idPrefixes.user },
    query: noQuery,
    body: schemaBody<PasswordInput>(passwordInputSchema),
    answers: { 204: { description: 'It is the password of the user from now on.' } },
    failures: ['invalid_password', 'conflict', 'rate_limited'],
    serve: async (asked) =>
      removed(await passwords.set(asked.call, userPlace(door, asked), asked.body)),
  })
}

function checkRoute<Caller extends Principal>(
  { passwords }: Sessions,
  door: AppDoor<Caller>,
  { check }: PasswordLimits,
): Route {
  const { path, tag, access, ids, operation } = door
  return defineRoute({
    method: 'POST',
    path: `${path}/{appID}/users/{userID}/password/check`,
    operationId: operation('checkPassword'),
    summary: 'Ask whether a user has a password; a few times a minute for each user',
    tag,
    kind: 'plain',
    access,
    ids: { ...ids, appID: 'app', userID: idPrefixes.user },
    query: noQuery,
    body: schemaBody<PasswordQuestion>(questionSchema),
    answers: { 200: { description: 'Whether it is.', schema: checkSchema } },
    failures: ['rate_limited'],
    serve: async (asked) => {
      const place = userPlace(door, asked)
      const { client, ...given } = asked.body
      await check(place, client)
      return { status: 200, body: await passwords.check(asked.call, place, given) }
    },
  })
}
