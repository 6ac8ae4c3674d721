/** Declares the list of backtests. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Backtests',
  path: '/backtests',
  scopes: ['author'],
  under: '/recipes',
  load: async () => (await import('./backtestList.tsx')).BacktestList,
}
