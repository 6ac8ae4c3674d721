/** Declares the report of the rules. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Rules report',
  path: '/report',
  scopes: ['analyse', 'audit'],
  under: '/rules',
  load: async () => (await import('./reportScreen.tsx')).ReportScreen,
}
