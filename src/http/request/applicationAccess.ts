/** Anyone who asks the host of an application. */

import type { ServedApp } from '../../domain/servedApp.ts'
import type { Access } from './access.ts'

/** The application whose host is asked. */
export const applicationAccess: Access<ServedApp> = () => ({
  admits: 'anyone',
  admit: async ({ state: { app } }) => {
    if (!app) throw new Error('a route of the hosts of applications was asked elsewhere')
    return app
  },
})
