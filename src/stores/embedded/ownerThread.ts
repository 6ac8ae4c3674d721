/** Starts the thread that owns log and keys (entry point of the worker). */

import { randomBytes } from 'node:crypto'
import { ownerCalls } from './owner.ts'
import { serveThread } from './threads.ts'

const clock = { nowMs: Date.now }
const random = { bytes: (count: number) => randomBytes(count) }

serveThread(() => ownerCalls({ clock, random }))
