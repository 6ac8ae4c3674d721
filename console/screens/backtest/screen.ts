/** Declares the report of a backtest. */

import type { Screen } from '../screen.ts'

export const screen: Screen = {
  title: 'Backtest',
  path: '/backtests/:id',
  scopes: ['author'],
  under: '/recipes',
  load: async () => (await import('./backtestScreen.tsx')).BacktestScreen,
}
