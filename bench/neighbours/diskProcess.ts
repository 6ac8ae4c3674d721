/**
 * A process that writes and syncs a plain file on the disk of the service, over and over in place: how long that takes
 * at most says what of a commit's time is the disk's, whoever else uses it.
 */

import { closeSync, fdatasyncSync, fsyncSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { answerMessages } from '../childProcess.ts'

export type DiskOrder = { readonly do: 'begin'; readonly folder: string } | { readonly do: 'end' }

/** Milliseconds of the longest write with its sync. */
export type DiskReport = number

const everyMs = 10
const writtenBytes = 8 * 1024
const places = 1_024

interface Writing {
  readonly timer: NodeJS.Timeout
  readonly close: () => void
  longestMs: number
}

let writing: Writing | undefined

answerMessages<DiskOrder, DiskReport | undefined>(async (order) => {
  if (order.do === 'begin') {
    writing = begin(join(order.folder, 'plain.file'))
    return undefined
  }
  if (!writing) throw new Error('nothing was begun')
  clearInterval(writing.timer)
  writing.close()
  return writing.longestMs
})

/** The file is as long as it will be before anything is measured. */
function begin(file: string): Writing {
  const bytes = Buffer.alloc(writtenBytes, 1)
  const handle = openSync(file, 'w', 0o600)
  for (let place = 0; place < places; place += 1) writeSync(handle, bytes)
  fsyncSync(handle)
  let place = 0
  const timer = setInterval(() => {
    const begunMs = performance.now()
    writeSync(handle, bytes, 0, writtenBytes, place * writtenBytes)
    fdatasyncSync(handle)
    begun.longestMs = Math.max(begun.longestMs, performance.now() - begunMs)
    place = (place + 1) % places
  }, everyMs)
  const close = (): void => {
    closeSync(handle)
    unlinkSync(file)
  }
  const begun: Writing = { timer, close, longestMs: 0 }
  return begun
}
