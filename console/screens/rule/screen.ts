/** Declares the editor of a rule. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Rule',
  path: '/rules/:id',
  scopes: ['author', 'audit'],
  under: '/rules',
  load: async () => (await import('./ruleScreen.tsx')).RuleScreen,
}
