/** Says which family the errors of a request are of (spec 7). */

import type { Context } from '../request/context.ts'
import type { ErrorFamilyName } from '../request/errorFamily.ts'
import type { Route } from '../request/route.ts'

/** Which family the errors of a request are of; asked only of those that are refused, whatever they were refused for. */
export type ErrorsOf = (ctx: Context) => ErrorFamilyName

/**
 * On the hosts of applications that of spec 7.2; on the main host by the path, whatever its method and parameters: that of the routes that
 * say so, else that of the main API.
 */
export function chooseErrors(routes: readonly Pick<Route, 'path' | 'errors'>[]): ErrorsOf {
  const families = new Map<string, ErrorFamilyName>()
  for (const { path, errors } of routes) if (errors !== 'main') families.set(path, errors)
  const known = [...families].map(([path, family]) => ({ pattern: patternOf(path), family }))

  return function chooseErrors(ctx) {
    if (ctx.state.sessionHost !== undefined) return 'session'
    return known.find(({ pattern }) => pattern.test(ctx.path))?.family ?? 'main'
  }
}

/** The fixed parts of a path have no signs of patterns but the dot. */
function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
}
