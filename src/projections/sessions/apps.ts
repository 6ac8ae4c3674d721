/** Projects the applications of accounts: their settings, signing keys and configuration. */

import {
  type AppEvent,
  type AppState,
  computeNextKeyActionMs,
  evolveApp,
} from '../../events/sessions/appEvents.ts'
import {
  type CreatedPosition,
  defineCollection,
  defineProjection,
  keepCreatedPosition,
} from '../running/projection.ts'

/** By the application's id: the fold of its events. */
export interface AppDocument extends CreatedPosition, AppState {
  /** When its signing keys need rotation; absent for a retired one without keys. */
  readonly keys_due?: number
}

const identity = { name: 'apps', version: 3 } as const
export const appCollection = defineCollection<AppDocument>({
  projection: identity,
  indexes: [['account', 'made'], ['keys_due']],
})

export const appsProjection = defineProjection<AppEvent, AppDocument>({
  ...identity,
  collections: [appCollection],
  eventTypes: [
    'AppRegistered',
    'AppSettingsSet',
    'AppRetired',
    'SigningKeyAdded',
    'SigningKeyRetired',
    'MigrationConfigSet',
    'MigrationConfigDeleted',
  ],
  targets: ({ event }) => [{ collection: appCollection, id: event.data.app_id }],
  apply: (app, { event, position }) => {
    const { made: _, keys_due: __, ...before } = app ?? {}
    const state = evolveApp(app && (before as AppState), event)
    const due = computeNextKeyActionMs(state)
    return {
      ...state,
      ...keepCreatedPosition(app, position),
      ...(due !== undefined && { keys_due: due }),
    }
  },
})
