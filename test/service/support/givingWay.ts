/** A thread that gives way, and tells its priority. */

import { getPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { giveWay } from '../../../src/service/opening/giveWay.ts'

giveWay()
parentPort?.postMessage(getPriority())
