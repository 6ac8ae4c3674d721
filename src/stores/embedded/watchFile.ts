/**
 * Notices that a file was deleted or replaced while it is open. Whoever has it open reads and writes on as if nothing were, and all of it
 * ends with the process.
 */

import { stat } from 'node:fs/promises'
import { fileRefusal } from './databaseTrouble.ts'
import { fileAt, isSameFile } from './fileIdentity.ts'

export interface FileWatchOptions {
  /** Open already: what is there now is the file that is meant; nothing is looked at when there is none. */
  readonly file: string
  /** What to do about it: the end of a sentence. */
  readonly wayOn: string
  /** Between two looks. */
  readonly everyMs?: number | undefined
  /** Told once, with an `Error` that names the file and says what to do. */
  readonly onGone: (refusal: Error) => void
}

/** A way on for a file that lives on as long as somebody has it open. */
export const copyOpenFile = `do not stop the service yet: copy the open file back from /proc/${process.pid}/fd, then restart; or restore a backup`

/** Looks until it is closed or the file is gone. What cannot be looked at for any other reason says nothing. */
export function watchFile(options: FileWatchOptions): { readonly close: () => void } {
  const { file, wayOn, everyMs = 1_000, onGone } = options
  const meant = fileAt(file)
  if (!meant) return { close: () => undefined }
  let closed = false
  let timer: NodeJS.Timeout | undefined
  const gone = (): void => {
    closed = true
    onGone(fileRefusal(file, `it was deleted or replaced while it is in use; ${wayOn}`))
  }
  const look = async (): Promise<void> => {
    try {
      const found = await stat(file, { bigint: true })
      if (!closed && !isSameFile(meant, found)) gone()
    } catch (error) {
      if (!closed && isMissing(error)) gone()
    }
    lookLater()
  }
  const lookLater = (): void => {
    if (!closed) timer = setTimeout(() => void look(), everyMs).unref()
  }
  lookLater()
  return {
    close: () => {
      closed = true
      clearTimeout(timer)
    },
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT'
}
