/** How the events of an application add up in memory. */

import { type AppEvent, type AppState, evolveApp } from '../../events/sessions/app.ts'
import type { Family } from '../handling/family.ts'

export const appFamily: Family<AppState | undefined, AppEvent> = {
  initial: () => undefined,
  evolve: evolveApp,
  weigh: (state) => (state ? JSON.stringify(state).length * bytesPerCharacter : 0),
}

/** Text, and the objects that hold it. */
const bytesPerCharacter = 3
