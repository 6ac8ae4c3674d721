/** Starts the service; stops it on SIGTERM or SIGINT, at any moment of its start too. */

import { stopOnSignals } from './main/stopOnSignals.ts'

// before anything else is loaded, which takes most of a start
const stopping = stopOnSignals(process, () => performance.now())
const leave = () => process.exit(0)
stopping.addEventListener('abort', leave)
const { runService } = await import('./main/runService.ts')
stopping.removeEventListener('abort', leave)
await runService(stopping)
