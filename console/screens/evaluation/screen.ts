/** Declares the screen of one evaluation. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Evaluation',
  path: '/evaluations/:id',
  scopes: ['analyse', 'audit'],
  under: '/evaluations',
  load: async () => (await import('./evaluationScreen.tsx')).EvaluationScreen,
}
