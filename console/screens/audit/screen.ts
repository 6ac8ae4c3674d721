/** Declares the screen of auditors: what was changed, what was configured when, who was erased. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Audit',
  path: '/audit',
  scopes: ['audit'],
  order: 8,
  load: async () => (await import('./auditScreen.tsx')).AuditScreen,
}
