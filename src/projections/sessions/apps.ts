/** The applications as their accounts see them. */

import { type AppEvent, type AppState, evolveApp } from '../../events/sessions/app.ts'
import { defineProjection } from '../running/defineProjection.ts'
import { type Made, madeAt } from '../running/made.ts'
import { collectionOf } from '../running/projection.ts'

/** By the application's id; what its events add up to. */
export interface AppDocument extends Made, AppState {}

const identity = { name: 'apps', version: 1 } as const
export const appCollection = collectionOf<AppDocument>({
  projection: identity,
  indexes: [['account', 'made']],
})

export const apps = defineProjection<AppEvent, AppDocument>({
  ...identity,
  collections: [appCollection],
  handles: [
    'AppRegistered',
    'AppSettingsSet',
    'AppRetired',
    'MigrationConfigSet',
    'MigrationConfigDeleted',
  ],
  targets: ({ event }) => [{ collection: appCollection, id: event.data.app_id }],
  apply: (app, { event, position }) => ({ ...evolveApp(app, event), ...madeAt(app, position) }),
})
