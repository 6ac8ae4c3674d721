/** Prints the progress of long work on an interactive terminal. */

import type { GlobalFlags } from '../connecting/connection.ts'
import type { CliContext } from './cliContext.ts'

export interface Progress {
  /** Replaces the line. */
  readonly show: (text: string) => void
  readonly clear: () => void
}

/** Opens a progress line on stderr; silent when stderr is not a terminal, and with `--json`. */
export function openProgress({ stderr }: CliContext, { json }: GlobalFlags): Progress {
  if (!stderr.isTty || json) return { show: () => undefined, clear: () => undefined }
  return {
    show: (text) => stderr.write(`\r\u001b[K${text}`),
    clear: () => stderr.write('\r\u001b[K'),
  }
}
