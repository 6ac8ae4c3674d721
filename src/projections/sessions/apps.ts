/** Projects the applications of accounts: their settings, signing keys and configuration. */

import {
  type AppEvent,
  type AppState,
  evolveApp,
  signingKeysDue,
} from '../../events/sessions/app.ts'
import {
  type CreatedPosition,
  collectionOf,
  createdPosition,
  defineProjection,
} from '../running/projection.ts'

/** By the application's id: the fold of its events. */
export interface AppDocument extends CreatedPosition, AppState {
  /** When its signing keys need rotation; absent for a retired one without keys. */
  readonly keys_due?: number
}

const identity = { name: 'apps', version: 3 } as const
export const appCollection = collectionOf<AppDocument>({
  projection: identity,
  indexes: [['account', 'made'], ['keys_due']],
})

export const apps = defineProjection<AppEvent, AppDocument>({
  ...identity,
  collections: [appCollection],
  handles: [
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
    const due = signingKeysDue(state)
    return {
      ...state,
      ...createdPosition(app, position),
      ...(due !== undefined && { keys_due: due }),
    }
  },
})
