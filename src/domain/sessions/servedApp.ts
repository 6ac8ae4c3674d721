/** Declares an active application as requests to its host need it: settings and verification keys. */

import type { AppSettings } from './appSettings.ts'

export interface ServedApp {
  readonly appId: string
  /** Whose it is. */
  readonly account: string
  readonly settings: AppSettings
  /** The public halves of the keys by which its tokens are verified, the one that signs at the end. */
  readonly keys: readonly { readonly kid: string; readonly public_key: string }[]
}

/** The application of an id; undefined when there is none in service. */
export type FindServedApp = (appId: string) => Promise<ServedApp | undefined>

/** The same as far as it is known at once. */
export type PeekServedApp = (appId: string) => ServedApp | undefined
