/** Anyone who asks the host of an application. */

import type { ServedApp } from '../../domain/servedApp.ts'
import type { Access } from './access.ts'
import type { Context } from './context.ts'

/** The application whose host is asked. */
export const applicationAccess: Access<ServedApp> = () => ({
  admits: 'anyone',
  admit: async (ctx) => servedApp(ctx),
})

/** The application of the host that the request is for, which a route of such hosts has always. */
export function servedApp({ state: { app } }: Context): ServedApp {
  if (!app) throw new Error('a route of the hosts of applications was asked elsewhere')
  return app
}
