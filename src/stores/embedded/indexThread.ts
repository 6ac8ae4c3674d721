/** The thread that looks whether every event of the log is found by its stream, once, until it is told to end. */

import { parentPort, workerData } from 'node:worker_threads'
import { checkIndex } from './checkIndex.ts'

export interface IndexStart {
  /** The log. */
  readonly file: string
}

/** The one who answers has the processors first. */
const timeParts = 5

const port = parentPort
if (port) {
  const closing = new AbortController()
  port.once('message', () => closing.abort())
  const { file } = workerData as IndexStart
  const { signal } = closing
  void checkIndex({ file, signal, timeParts }).then((finding) => {
    port.postMessage(finding)
    port.close()
  })
}
