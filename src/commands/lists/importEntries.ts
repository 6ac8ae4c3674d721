/** Imports many values into a list, line by line, with an answer for each. */

import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Call } from '../../domain/call.ts'
import { Failure, type FailureDetail } from '../../domain/failure.ts'
import type { ListAddress } from '../../domain/lists/lists.ts'
import { openAppendOrder } from '../handling/appendsInOrder.ts'
import type { Context as Process } from '../handling/context.ts'
import { waitForSpareKeys } from '../handling/waitForSpareKeys.ts'
import { whenVisible } from '../handling/write.ts'
import { answersInOrder } from './answersInOrder.ts'
import { type Context as Changing, type EntryInput, type ListOf, putEntry } from './entries.ts'
import { listAddress } from './entryKey.ts'

type Context = Changing & Pick<Process, 'background'>

/** A line of an import: an entry, or its error. */
export interface ImportLine {
  /** From 1. */
  readonly line: number
  readonly input?: Omit<EntryInput, 'list'>
  readonly details?: readonly FailureDetail[]
}

/** What became of a line; the last answer is of all of them, unless one failed. */
export type ImportAnswer =
  | {
      readonly line: number
      readonly value: string
      readonly result: 'added' | 'changed' | 'unchanged'
    }
  | {
      readonly line: number
      readonly value?: string
      readonly result: 'refused'
      readonly details: readonly FailureDetail[]
    }
  | {
      readonly line: number
      readonly value: string
      readonly result: 'failed'
      readonly code: string
      readonly message: string
    }
  | {
      readonly result: 'done'
      readonly added: number
      readonly changed: number
      readonly unchanged: number
      readonly refused: number
    }

/** Lines under way at once, so that they share the disk's work, */
const atOnce = 64
/** of which so many begin in one turn: after them everybody else has theirs. */
const begunInTurn = 8

/** Answers every line once it is on disk, as the answers are taken; the sums are the last answer, once the read models show all of it, or a wait is over. What fails ends the import: the lines before are stored. */
export async function importEntries(
  context: Context,
  call: Call,
  { list, lines }: ListOf & { readonly lines: AsyncIterable<ImportLine> },
): Promise<AsyncIterable<readonly ImportAnswer[]>> {
  const address = await listAddress(context, call, list)
  return answersTo({ context, call, address, written: { position: 0 } }, lines)
}

interface Importing {
  readonly context: Context
  readonly call: Call
  readonly address: ListAddress
  /** Up to where its lines are in the log. */
  readonly written: { position: number }
}

async function* answersTo(
  importing: Importing,
  lines: AsyncIterable<ImportLine>,
): AsyncGenerator<readonly ImportAnswer[]> {
  const { context, written } = importing
  // the order of a list is that of the log
  const { next } = openAppendOrder(context.events)
  const work = (line: ImportLine) => {
    const answer = next((log) => {
      const events = { ...context.events, ...log }
      return answerTo({ ...importing, context: { ...context, events } }, line)
    })
    // waited for before the stores are closed, also when nobody takes the answer any more
    context.background.run(async () => {
      await answer
    })
    return answer
  }
  const sums = { added: 0, changed: 0, unchanged: 0, refused: 0 }
  for await (const answers of answersInOrder(interleave(importing, lines), { work, atOnce })) {
    const failed = answers.findIndex(({ result }) => result === 'failed')
    yield failed < 0 ? answers : answers.slice(0, failed + 1)
    if (failed >= 0) return
    for (const { result } of answers) if (result !== 'failed') sums[result] += 1
  }
  await whenVisible(context, written)
  yield [{ result: 'done', ...sums }]
}

/** The lines as they may begin: others have their turns between them, and the sealing keys that evaluations need. */
async function* interleave(
  { context: { keyring } }: Importing,
  lines: AsyncIterable<ImportLine>,
): AsyncGenerator<ImportLine> {
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

async function answerTo(
  { context, call, address, written }: Importing,
  { line, input, details }: ImportLine,
): Promise<Exclude<ImportAnswer, { result: 'done' }>> {
  if (!input) return { line, result: 'refused', details: details ?? [] }
  const { value: given } = input
  try {
    // the list may have been deleted since the line before, or the access to it withdrawn
    await listAddress(context, call, address.list)
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
