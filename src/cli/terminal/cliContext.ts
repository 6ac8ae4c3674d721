/** Declares a command's process context: streams, environment and clock; tests substitute it. */

import type { Environment } from './environment.ts'

export interface Output {
  readonly write: (text: string) => void
  readonly isTty: boolean
  /** How wide the terminal is at the moment; undefined for what is none. */
  readonly columns: number | undefined
}

interface Input {
  readonly isTty: boolean
  /** Everything that comes in, up to so many bytes; more is refused with a `usage` error. */
  readonly readAll: (bytesMax: number) => Promise<string>
  /** What comes in, as it comes. */
  readonly pieces: () => AsyncIterable<Uint8Array>
  /** Asks on the terminal. */
  readonly ask: (question: string) => Promise<string>
  /** The same without showing what is typed. */
  readonly askSecret: (question: string) => Promise<string>
}

export interface CliContext {
  readonly environment: Environment
  readonly stdin: Input
  readonly stdout: Output
  readonly stderr: Output
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number
  /** Aborted by Ctrl-C. */
  readonly interrupted: AbortSignal
  /** Resolves after so long, or at once when interrupted. */
  readonly pause: (ms: number) => Promise<void>
}
