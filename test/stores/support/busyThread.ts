/** A thread that asks SQLite the same thing again and again, without an end; says when it has begun. */

import { parentPort, workerData } from 'node:worker_threads'
import { openDatabase } from '../../../src/stores/embedded/sqlite.ts'

const { file, sql } = workerData as { readonly file: string; readonly sql: string }
const statement = openDatabase({ file, synchronous: 'FULL' }).prepare(sql)
parentPort?.postMessage('begun')
for (;;) statement.all()
