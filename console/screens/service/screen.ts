/** Declares the health of the service, for the operator. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Service',
  path: '/service',
  scopes: ['operator'],
  order: 9,
  load: async () => (await import('./serviceScreen.tsx')).ServiceScreen,
}
