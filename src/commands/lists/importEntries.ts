/** Imports many values into a list in the order of their lines, with a result for each line. */

import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call } from '../../domain/call.ts'
import { Failure, type FailureDetail } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists/lists.ts'
import { type ListRef, requireListAddress } from '../../state/lists/entryKey.ts'
import type { EventStore } from '../../stores/eventStore.ts'
import type { CommandContext } from '../handling/commandContext.ts'
import { waitUntilVisible } from '../handling/executeCommand.ts'
import { waitForSpareKeys } from '../handling/waitForSealingKeys.ts'
import {
  type EntryChangeContext,
  type EntryChangeResult,
  type EntryInput,
  putEntry,
} from './changeListEntries.ts'

type Context = EntryChangeContext & Pick<CommandContext, 'background'>

/** A line of an import: an entry, or its error. */
export interface ImportLine {
  /** From 1. */
  readonly line: number
  readonly input?: Omit<EntryInput, 'list'>
  readonly details?: readonly FailureDetail[]
}

/** What became of a line. */
export interface LineAnswer {
  readonly line: number
  readonly value?: string
  readonly result: EntryChangeResult['result'] | 'refused' | 'failed'
  /** The problems of a refused line. */
  readonly details?: readonly FailureDetail[]
  /** Why a line failed. */
  readonly code?: string
  readonly message?: string
}

const noLines = { added: 0, changed: 0, unchanged: 0, refused: 0 }

/** The last answer is of all lines, unless one failed. */
export type ImportAnswer = LineAnswer | ({ readonly result: 'done' } & Readonly<typeof noLines>)

/** Lines under way at once, so that they share commits to disk. */
const linesAtOnce = 64
/** Lines that begin in one iteration of the event loop. */
const begunInTurn = 8

/**
 * Answers every line in order once it is on disk; the sums are the last answer, when the read models show all of it or
 * a wait is over. A line that fails ends the import: the lines before are stored.
 */
export async function importEntries(
  context: Context,
  call: Call,
  { list, lines }: ListRef & { readonly lines: AsyncIterable<ImportLine> },
): Promise<AsyncIterable<ImportAnswer>> {
  const address = await requireListAddress(context, call, list)
  return importLines({ context, call, address, written: { position: 0 } }, lines)
}

interface ImportRun {
  readonly context: Context
  readonly call: Call
  readonly address: ListAddress
  /** Up to where its lines are in the log. */
  readonly written: { position: number }
}

async function* importLines(
  importing: ImportRun,
  lines: AsyncIterable<ImportLine>,
): AsyncGenerator<ImportAnswer> {
  const { context, written } = importing
  // the order of a list is that of the log
  const appendInOrder = openAppendSequencer(context.events)
  const work = (line: ImportLine) => {
    const answer = appendInOrder((log) => {
      const events = { ...context.events, ...log }
      return importLine({ ...importing, context: { ...context, events } }, line)
    })
    // waited for before the stores are closed, also when nobody takes the answer any more
    context.background.run(async () => {
      await answer
    })
    return answer
  }
  const sums = { ...noLines }
  const begun = Readable.from(pauseBetweenLines(context, lines))
  const answers: AsyncIterable<LineAnswer> = begun.map(work, { concurrency: linesAtOnce })
  for await (const answer of answers) {
    yield answer
    if (answer.result === 'failed') return
    sums[answer.result] += 1
  }
  await waitUntilVisible(context, written)
  yield { result: 'done', ...sums }
}

type Appender = Pick<EventStore, 'append'>

/**
 * Runs concurrent jobs, each of which appends to its log once at most: the append waits until every earlier job has
 * handed its own over, or has ended without one. A job must not wait for what a later one does.
 */
export function openAppendSequencer({ append }: Appender) {
  let handedOver: Promise<unknown> = Promise.resolve()

  return async <Value>(job: (log: Appender) => Promise<Value>): Promise<Value> => {
    const before = handedOver
    let handOver = (): void => undefined
    handedOver = new Promise<void>((resolve) => {
      handOver = resolve
    })
    const appendInOrder: Appender['append'] = async (events) => {
      await before
      const appended = append(events)
      handOver()
      return appended
    }
    try {
      return await job({ append: appendInOrder })
    } finally {
      await before
      handOver()
    }
  }
}

/** The lines, with pauses for other requests and for the sealing keys that evaluations need. */
export async function* pauseBetweenLines<Line>(
  { keyring }: Pick<CommandContext, 'keyring'>,
  lines: AsyncIterable<Line>,
): AsyncGenerator<Line> {
  let begun = 0
  for await (const line of lines) {
    if (begun % begunInTurn === 0) {
      await nextTurn()
      await waitForSpareKeys(keyring)
    }
    begun += 1
    yield line
  }
}

async function importLine(
  { context, call, address, written }: ImportRun,
  { line, input, details }: ImportLine,
): Promise<LineAnswer> {
  if (!input) return { line, result: 'refused', details: details ?? [] }
  const { value: given } = input
  try {
    // the list may have been deleted since the line before, or the access to it withdrawn
    await requireListAddress(context, call, address.list)
    const { value, result, position } = await putEntry(context, call, { ...input, address })
    written.position = Math.max(written.position, position)
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
