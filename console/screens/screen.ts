/** Declares what a screen is: its address, who may see it, and the code that is loaded when it is opened. */

import type { ComponentType } from 'preact'
import type { Scope } from '../api/session.ts'

export interface ViewProps {
  /** Of the address, by their names. */
  readonly params: Readonly<Record<string, string>>
}

export interface Screen {
  readonly title: string
  /** Below the console: `/rules/:id`. */
  readonly path: string
  /** Any of them opens it; without one everybody may see it. */
  readonly scopes: readonly Scope[]
  /** Its place in the navigation; absent where it is reached from another screen. */
  readonly order?: number
  /** The path of the screen in the navigation that it belongs to. */
  readonly under?: string
  readonly load: () => Promise<ComponentType<ViewProps>>
}
