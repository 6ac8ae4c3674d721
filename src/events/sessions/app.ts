/** The application family: streams `app-{id}`. Ids of applications are names of hosts, so no two accounts share one, for ever. */

import type { AppSettings } from '../../domain/appSettings.ts'
import type { DomainEvent } from '../recording/event.ts'

/** Times are in milliseconds since the Unix epoch. */
export type AppEvent =
  | DomainEvent<
      'AppRegistered',
      {
        readonly app_id: string
        readonly account_id: string
        readonly name: string
        readonly settings: AppSettings
        readonly registered_at: number
      }
    >
  /** The settings as a whole, those that stay among them. */
  | DomainEvent<'AppSettingsSet', { readonly app_id: string; readonly settings: AppSettings }>
  | DomainEvent<'AppRetired', { readonly app_id: string; readonly retired_at: number }>
  | DomainEvent<'MigrationConfigSet', { readonly app_id: string } & MigrationConfig>
  | DomainEvent<'MigrationConfigDeleted', { readonly app_id: string }>

/** Where the customer says whether a legacy session is valid (spec 2.10). */
export interface MigrationConfig {
  readonly session_validation_url: string
  readonly created_at: number
  readonly updated_at: number
}

/** An application as its events add up: plain data, and the same in memory and in the read model. */
export interface AppState {
  readonly account: string
  readonly name: string
  readonly settings: AppSettings
  readonly registered_at: number
  /** From then on its id is nobody's, and stays taken. */
  readonly retired_at?: number
  readonly migration?: MigrationConfig
}

/** Of the application with this id. */
export const appStream = (appId: string): string => `app-${appId}`

/** The application after one more event; undefined before it is registered. Throws for an event of one that is not. */
export function evolveApp(state: AppState | undefined, event: AppEvent): AppState {
  if (event.type === 'AppRegistered') {
    const { account_id: account, name, settings, registered_at } = event.data
    return { account, name, settings, registered_at }
  }
  if (!state) throw new Error(`${event.type} of an application that was never registered`)
  switch (event.type) {
    case 'AppSettingsSet':
      return { ...state, settings: event.data.settings }
    case 'AppRetired':
      return { ...state, retired_at: event.data.retired_at }
    case 'MigrationConfigSet': {
      const { app_id: _, ...migration } = event.data
      return { ...state, migration }
    }
    case 'MigrationConfigDeleted': {
      const { migration: _, ...rest } = state
      return rest
    }
  }
}
