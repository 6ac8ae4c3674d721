/** Every route of the API, with a path and a token by which it can be asked. */

import type { PathParameter, Route } from '../../../src/http/request/route.ts'
import { listRoutes } from '../../../src/http/routes.ts'
import { everyScope, fakeService, ids, operatorToken } from './fakeService.ts'

export const routes: readonly Route[] = listRoutes(fakeService())

const idByPrefix = new Map(Object.values(ids).map((id) => [id.slice(0, 3), id]))

/** The route's path with an id or a name for each parameter. */
export function pathOf({ path, ids: parameters }: Route): string {
  return Object.entries(parameters).reduce(
    (filled, [name, kind]) => filled.replace(`{${name}}`, exampleOf(kind)),
    path,
  )
}

function exampleOf(kind: PathParameter): string {
  if (typeof kind !== 'string') return kind[0] ?? ''
  return kind === 'name' ? 'rules' : (idByPrefix.get(kind) ?? '')
}

/** A token that opens the route. */
export function tokenFor({ admits }: Route): string | undefined {
  if (admits === 'anyone') return undefined
  return admits.operator ? operatorToken : everyScope
}
