/** Serves the read models in a worker thread of low priority (entry point). */

import { getPriority, setPriority } from 'node:os'
import { systemSources } from '../domain/systemSources.ts'
import { serveThread } from '../stores/embedded/threadCalls.ts'
import { type NotifyReadModels, serveReadModels } from './startReadModels.ts'

/** Below the threads that requests wait for: about a third of their time. Only Linux has priorities of threads. */
const [steps, lowest] = [5, 19]
if (process.platform === 'linux') setPriority(Math.min(getPriority() + steps, lowest))
serveThread((notify: NotifyReadModels) => serveReadModels(notify, systemSources))
