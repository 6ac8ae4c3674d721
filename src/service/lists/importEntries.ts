/** Many values put on a list, one line after the other, with an answer for each. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import { openAppendOrder } from '../../commands/handling/appendsInOrder.ts'
import type { Call } from '../../domain/call.ts'
import { Failure } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists.ts'
import type { ServiceContext } from '../opening/serviceContext.ts'
import { addEntry } from './entryCommands.ts'
import { listAddress } from './listAddress.ts'
import type { ImportAnswer, ImportLine, ListsPart } from './listsPart.ts'

/** Lines that are written together, so that they share the disk's work; after them everybody else has a turn. */
const atOnce = 16

/** Answers every line once it is on disk; the sums are the last answer. What fails ends the import: the lines before are stored. */
export function openImportEntries(context: ServiceContext): ListsPart['entries']['importEntries'] {
  return async (call, { list }, lines) => {
    const address = await listAddress(context, call, list)
    return answersTo({ context, call, address }, lines)
  }
}

interface Importing {
  readonly context: ServiceContext
  readonly call: Call
  readonly address: ListAddress
}

async function* answersTo(
  importing: Importing,
  lines: AsyncIterable<ImportLine>,
): AsyncGenerator<ImportAnswer> {
  const { context } = importing
  // the order of a list is that of the log
  const { next } = openAppendOrder(context.events)
  const sums = { added: 0, changed: 0, unchanged: 0, refused: 0 }
  for await (const batch of together(lines)) {
    const answers = await Promise.all(
      batch.map((line) =>
        next((log) => {
          const events = { ...context.events, ...log }
          return answerTo({ ...importing, context: { ...context, events } }, line)
        }),
      ),
    )
    for (const answer of answers) {
      yield answer
      if (answer.result === 'failed') return
      sums[answer.result] += 1
    }
    await nextTurn()
  }
  yield { result: 'done', ...sums }
}

async function* together(lines: AsyncIterable<ImportLine>): AsyncGenerator<readonly ImportLine[]> {
  let batch: ImportLine[] = []
  for await (const line of lines) {
    batch.push(line)
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

async function answerTo(
  { context, call, address }: Importing,
  { line, input, details }: ImportLine,
): Promise<Exclude<ImportAnswer, { result: 'done' }>> {
  if (!input) return { line, result: 'refused', details: details ?? [] }
  const { value: given } = input
  try {
    const { value, result } = await addEntry(context, call, { ...input, address })
    return { line, value, result }
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { code, message } = error
    if (code === 'invalid_request') {
      return { line, value: given, result: 'refused', details: error.details ?? [] }
    }
    return { line, value: given, result: 'failed', code, message }
  }
}
