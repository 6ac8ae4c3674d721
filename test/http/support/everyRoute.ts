/** Every route of the API, with a path and a token by which it can be asked. */

import type { PathParameter } from '../../../src/http/request/pathParameters.ts'
import type { Route } from '../../../src/http/request/route.ts'
import { listRoutes } from '../../../src/http/routes.ts'
import { appId, everyScope, ids, kid, operatorToken, sdkKey } from './memoryService.ts'
import type { Sent } from './sendRequest.ts'

/** Of every host. */
export const listed: readonly Route[] = listRoutes()

/** Of the main host. */
export const routes = listed.filter(({ host }) => host === 'main')

const idByPrefix = new Map(Object.values(ids).map((id) => [id.slice(0, id.indexOf('_')), id]))

/** The route's path with an id or a name for each parameter. */
export function pathOf({ path, ids: parameters }: Route): string {
  return Object.entries(parameters).reduce(
    (filled, [name, kind]) => filled.replace(`{${name}}`, exampleOf(kind)),
    path,
  )
}

function exampleOf(kind: PathParameter): string {
  if (typeof kind !== 'string') return kind[0] ?? ''
  if (kind === 'app') return appId
  if (kind === 'kid') return kid
  return kind === 'name' ? 'rules' : (idByPrefix.get(kind) ?? '')
}

/** What opens the route: a token, or a key. */
export function wayInto({ admits }: Route): Pick<Sent, 'token' | 'headers'> {
  if (admits === 'anyone') return {}
  if (admits === 'front_end') return { headers: { 'x-sdk-key': sdkKey } }
  if (admits === 'refresh_token') return { headers: { 'x-refresh-token': 'made up' } }
  if (admits === 'any_token') return { token: everyScope }
  // of the hosts of applications, where whoever calls has a session
  if ('user' in admits) return {}
  return { token: admits.operator ? operatorToken : everyScope }
}
