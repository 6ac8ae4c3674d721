/** Declares the list of rules. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Rules',
  path: '/rules',
  scopes: ['author', 'audit'],
  order: 3,
  load: async () => (await import('./ruleList.tsx')).RuleList,
}
