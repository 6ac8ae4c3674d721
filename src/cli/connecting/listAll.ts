/** Reads every page of a list. */

import { cliError } from '../terminal/cliError.ts'
import { exitCodes } from '../terminal/exitCode.ts'
import type { Body, Client } from './client.ts'

const perPage = 200
const usualPagesMax = 5_000

interface Listed {
  readonly path: string
  /** Under which the answer lists its entries. */
  readonly name: string
  readonly query?: Readonly<Record<string, string | undefined>>
  /** How many pages are too many. */
  readonly pagesMax?: number
}

/** Every entry under `name`, in the service's order. `onPage` is told how many there are so far. */
export async function listAll<Item extends object = Body>(
  client: Client,
  listed: Listed,
  onPage: (count: number) => void = () => undefined,
): Promise<readonly Item[]> {
  const items: Item[] = []
  for await (const page of pagesOf<Item>(client, listed)) {
    items.push(...page)
    onPage(items.length)
  }
  return items
}

/** The same page by page, as they are taken. */
export async function* pagesOf<Item extends object = Body>(
  client: Client,
  { path, name, query = {}, pagesMax = usualPagesMax }: Listed,
): AsyncGenerator<readonly Item[]> {
  let cursor: string | undefined
  for (let page = 0; page < pagesMax; page += 1) {
    const { body } = await client('GET', path, { query: { ...query, limit: perPage, cursor } })
    yield entriesOf<Item>(body, name)
    const next = body['next_cursor']
    if (typeof next !== 'string') return
    cursor = next
  }
  throw cliError(`There are more than ${pagesMax * perPage} ${name}.`, exitCodes.unreachable, {
    code: 'too_many',
  })
}

/** The objects in that list of the answer. */
export function entriesOf<Item extends object = Body>(body: Body, name: string): readonly Item[] {
  const list = body[name]
  if (Array.isArray(list)) return list as readonly Item[]
  throw cliError(`The answer has no ${name}; is the server a Vigil?`, exitCodes.unreachable, {
    code: 'not_vigil',
  })
}
