/** A process that fills a list of an account, by the service itself. */

import { randomBytes, randomUUID } from 'node:crypto'
import pino from 'pino'
import { type ImportLine, importEntries } from '../src/commands/lists/importEntries.ts'
import type { AccountPrincipal } from '../src/domain/principal.ts'
import { openMetrics, openService } from './built.ts'
import { answerMessages, operatorToken } from './childProcess.ts'

export interface ListOrder {
  readonly folder: string
  /** Of the account, with the scope that its list wants. */
  readonly token: string
  readonly list: string
  readonly entries: number
}

const linesAtOnce = 64

answerMessages<ListOrder, boolean>(fill)

async function fill({ folder, token, list, entries }: ListOrder): Promise<boolean> {
  const { service } = await openService({
    dataFolder: folder,
    masterKey: undefined,
    operatorToken,
    clock: { nowMs: () => Date.now() },
    random: { bytes: (count) => randomBytes(count) },
    logger: pino({ level: 'warn' }),
    metrics: openMetrics(),
  })
  try {
    const principal = (await service.authenticate(token)) as AccountPrincipal
    const call = { principal, requestId: randomUUID() }
    const answers = await importEntries(service.context, call, { list, lines: linesOf(entries) })
    for await (const answer of answers) {
      const isWrong = answer.result === 'refused' || answer.result === 'failed'
      if (isWrong) throw new Error(JSON.stringify(answer))
    }
  } finally {
    await service.close()
  }
  return true
}

async function* linesOf(entries: number): AsyncGenerator<ImportLine> {
  for (let line = 1; line <= entries; line += 1) {
    if (line % linesAtOnce === 0) await new Promise(setImmediate)
    yield { line, input: { value: listedNumber(line - 1) } }
  }
}

/** The number of a list at this place, from 0: not one of the people who are evaluated. */
function listedNumber(place: number): string {
  return `+1213${2_000_000 + place}`
}
