/** Serves the writer of event log and key store in a worker thread (entry point). */

import { randomBytes } from 'node:crypto'
import { serveThread } from './threadCalls.ts'
import { createWriterCalls } from './writerThread.ts'

const clock = { nowMs: Date.now }
const random = { bytes: (count: number) => randomBytes(count) }

serveThread(() => createWriterCalls({ clock, random }))
