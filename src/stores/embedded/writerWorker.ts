/** Serves the writer of event log and key store in a worker thread (entry point). */

import { systemSources } from '../../domain/systemSources.ts'
import { serveThread } from './threadCalls.ts'
import { createWriterCalls } from './writerThread.ts'

serveThread(() => createWriterCalls(systemSources))
